// SPDX-License-Identifier: Apache-2.0
// Any bytes from ranks are answered, or end in a fault; any bytes of other nodes are merged or refused.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/node/pmi/pmi_server.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  PmiWorld world;
  world.name = "kvs";
  world.nodes = {0, 0, 1};
  world.ranks = {0, 1};
  PmiServer server(world);
  // The first byte of each piece says which rank sends it, and how long it is.
  for (size_t at = 0; at < text.size();) {
    const auto head = static_cast<uint8_t>(text[at++]);
    const std::string_view piece = text.substr(at, head >> 1);
    at += piece.size();
    const PmiActions actions = server.received(head & 1, piece);
    for (const auto& write : actions.writes) MUSTER_CHECK(write.local < 2 && !write.bytes.empty());
    for (const auto& fault : actions.faults) MUSTER_CHECK(!fault.why.empty());
    if (actions.exchange) static_cast<void>(server.exchanged({*actions.exchange, std::string(piece)}));
  }
  return 0;
}
