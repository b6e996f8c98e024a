// SPDX-License-Identifier: Apache-2.0
// Meeting: the rendezvous of the hosts of one torchrun command, from --nnodes, --rdzv-… and --master-…, with torch's rules. Pure: names are
// kept as typed.
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
  std::string host;  // of the first host
  uint16_t port = 0;
  std::optional<uint32_t> node_rank;  // static backend; nothing: c10d, numbered by arrival
  std::optional<bool> is_host;        // is_host of --rdzv-conf: this is the first host; nothing: decided by the address
  Duration patience{0};               // the longest wait for the minimum number of nodes
  Duration last_call{0};              // then the wait for more nodes
  Duration later_call{0};             // the same after the job has begun, when a host was lost or joined
  std::string local_addr;             // --local-addr; empty: the address from which this host connects

  // "node-a:29400"
  std::string text() const;
};

// invalid_argument: not N or MIN:MAX.
Result<NodeRange> nodes_of(const std::string& nnodes);

// True if the flags contain an address or a node rank for a meeting of hosts.
bool address_typed(const TorchrunFlags& flags);

// For more than one node. invalid_argument: a flag is missing or wrong; the message names it. unimplemented: an etcd backend.
Result<Meeting> meeting_of(const TorchrunFlags& flags, const NodeRange& nodes);

}  // namespace muster
