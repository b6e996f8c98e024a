// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/frames.h"

#include <algorithm>

#include "core/node/torch_store/protocol.h"

namespace muster::tcpstore {
namespace {

constexpr size_t kHeader = 8;

}  // namespace

bool FrameReader::next(std::string_view& bytes, Piece& piece) {
  const size_t wanted = std::min(kHeader - header_.size(), bytes.size());
  header_ += bytes.substr(0, wanted);
  bytes.remove_prefix(wanted);
  if (header_.size() < kHeader) return false;
  if (wanted > 0) left_ = static_cast<uint32_t>(number_at(header_, 4, 4));
  const bool gone = wanted > 0 && left_ == 0;
  if (!gone && bytes.empty()) return false;
  piece = {static_cast<uint32_t>(number_at(header_, 0, 4)), bytes.substr(0, left_)};
  bytes.remove_prefix(piece.bytes.size());
  left_ -= static_cast<uint32_t>(piece.bytes.size());
  if (left_ == 0) header_.clear();
  return true;
}

void put_frame(std::string& out, uint32_t client, std::string_view bytes) {
  put<uint32_t>(out, client);
  put<uint32_t>(out, static_cast<uint32_t>(bytes.size()));
  out += bytes;
}

}  // namespace muster::tcpstore
