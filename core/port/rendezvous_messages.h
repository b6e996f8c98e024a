// What a worker asks of its job's rendezvous, and what it gets: values carried by agent.proto and worker.proto. The
// rules are in machine/rendezvous.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rank/rendezvous_call.h"

namespace muster {

// Agent → coordinator. `id` is the agent's, unique on its channel.
struct RendezvousRequest {
  uint64_t id = 0;
  Attempt attempt = 0;
  uint32_t index = 0;  // the asking rank, into Plan::ranks
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
