// SPDX-License-Identifier: Apache-2.0
// Rendezvous calls of workers and their answers, as values; agent.proto and worker.proto carry them. The rules are in
// core/machine/rendezvous.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rank/rendezvous_call.h"

namespace muster {

// Agent → coordinator. The agent chooses `id`, unique on its channel.
struct RendezvousRequest {
  uint64_t id = 0;
  Attempt attempt = 0;
  uint32_t index = 0;  // the calling rank, into Plan::ranks
  RendezvousCall call;
  bool operator==(const RendezvousRequest&) const = default;
};

// Coordinator → agent.
struct RendezvousReply {
  uint64_t id = 0;
  RendezvousAnswer answer;
  bool operator==(const RendezvousReply&) const = default;
};

}  // namespace muster
