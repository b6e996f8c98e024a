// SPDX-License-Identifier: Apache-2.0
// The framing with which a store proxy carries many clients over one connection. After the carrier's greeting, both
// directions consist of frames: u32 client, u32 length (little-endian), then `length` bytes. Length 0: the client has
// disconnected. Both ends belong to the same muster version, so the format may change. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::tcpstore {

// A part of a frame's bytes; empty when the client has disconnected.
struct Piece {
  uint32_t client = 0;
  std::string_view bytes;
};

class FrameReader {
 public:
  // Takes the next piece from the front of `bytes`. False: more is needed.
  bool next(std::string_view& bytes, Piece& piece);

 private:
  std::string header_;
  uint32_t left_ = 0;
};

void put_frame(std::string& out, uint32_t client, std::string_view bytes);

}  // namespace muster::tcpstore
