// SPDX-License-Identifier: Apache-2.0
// Fuzzes the store with arbitrary bytes of two clients and a store proxy, in pieces of any size. The store answers or
// ends them, in memory bounded by its input.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/base/check.h"
#include "core/node/torch_store/frames.h"
#include "core/node/torch_store/session.h"

using namespace muster::tcpstore;

namespace {

class Nowhere final : public Carrier {
 public:
  void carry(Session& session) override { session.out.clear(); }
};

Limits small() {
  Limits limits;
  limits.key = 64;
  limits.value = 256;
  limits.keys = 16;
  limits.request = 1024;
  limits.reply = 4096;
  limits.memory = 16 << 10;
  limits.pause = 512;
  return limits;
}

void read_frames(std::string_view bytes) {
  FrameReader reader;
  Piece piece;
  size_t seen = 0;
  const size_t all = bytes.size();
  while (reader.next(bytes, piece)) seen += piece.bytes.size();
  MUSTER_CHECK(bytes.empty() && seen <= all);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_frames(bytes);
  StoreState state(small());
  Nowhere nowhere;
  std::unique_ptr<Session> sessions[2];
  while (bytes.size() > 1) {
    auto& session = sessions[bytes[0] & 1];
    const size_t piece = static_cast<uint8_t>(bytes[0]) >> 1;
    bytes.remove_prefix(1);
    if (!session) session = std::make_unique<Session>(state, nowhere, 1);
    bool good = session->feed(bytes.substr(0, piece));
    bytes.remove_prefix(std::min(piece, bytes.size()));
    deliver(state.store);
    while (good && session->stalled()) {
      good = session->feed({});
      deliver(state.store);
    }
    MUSTER_CHECK(session->held() <= state.limits.request + 128 && state.store.bytes() <= state.limits.memory);
    if (!good) session.reset();
  }
  sessions[0].reset();
  sessions[1].reset();
  return 0;
}
