// How a front end carries many clients over one connection: frames of u32 client, u32 length and so many bytes,
// little-endian, both ways, after the carrier's greeting. Length 0: that client is gone. Pure. Both ends are ours and
// of one version, so this may change.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::tcpstore {

// What is there of a frame's bytes; empty when the client is gone.
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
