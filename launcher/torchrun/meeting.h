// Meeting: where and as what the hosts of one torchrun command find each other, by --nnodes, --rdzv-… and --master-…, as torch reads
// them. Pure: names are as typed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/base/time.h"
#include "launcher/torchrun/torchrun_flags.h"

namespace muster {

struct NodeRange {
  uint32_t least = 1;
  uint32_t most = 1;
};

struct Meeting {
  NodeRange nodes;
  std::string run;   // --rdzv-id
  std::string host;  // where the first listens
  uint16_t port = 0;
  std::optional<uint32_t> node_rank;  // static; nothing: c10d, by arrival
  std::optional<bool> is_host;        // --rdzv-conf says whether this is the first; nothing: the address tells
  Duration patience{0};               // until the fewest nodes are there
  Duration last_call{0};              // from then on for more
  Duration later_call{0};             // likewise once the job has begun: when a host was lost, or came
  std::string local_addr;             // --local-addr; empty: the one that is used

  // "node-a:29400"
  std::string text() const;
};

// invalid_argument, with what --nnodes wants.
Result<NodeRange> nodes_of(const std::string& nnodes);

// An address was typed where hosts could meet.
bool address_typed(const TorchrunFlags& flags);

// For more than one node. invalid_argument, with the flag that is missing or wrong; unimplemented for the etcd backends.
Result<Meeting> meeting_of(const TorchrunFlags& flags, const NodeRange& nodes);

}  // namespace muster
