// SPDX-License-Identifier: Apache-2.0
// Plan: the nodes of a job, and the ranks and devices of each node. Pure.
//
// A process is identified by its group and its rank in the group; its `world_rank` and `world_size` follow
// JobSpec::world. Nodes are numbered from 0 in group order; a node runs ranks of one group. Environment and ports are
// set per attempt (core/framework), so that attempts with the same nodes share a plan. With elastic membership a node
// is a place for a host; a node without a host has no ranks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/job/job_spec.h"

namespace muster {

struct Gpu {
  uint32_t index = 0;  // in PCI order, as in NVML
  std::string uuid;    // "GPU-…", the value for CUDA_VISIBLE_DEVICES
  std::string name;    // "NVIDIA H100 80GB HBM3"
  uint64_t memory_bytes = 0;
  int numa_node = -1;  // -1: unknown
  bool operator==(const Gpu&) const = default;
};

// The topology of a CPU, with the numbers of the kernel; -1: unknown.
struct CpuPlace {
  uint32_t cpu = 0;
  int numa_node = 0;
  int package = 0;
  uint32_t core = 0;   // the lowest CPU of its core
  uint32_t cache = 0;  // the lowest CPU that shares its last-level cache
  bool operator==(const CpuPlace&) const = default;
};

// The resources of a machine.
struct Inventory {
  std::string host;
  std::vector<uint32_t>
      cpus;  // CPUs that muster may use, by kernel number, in topology order (neighbours share caches)
  std::optional<uint64_t> memory_bytes;  // nullopt: unknown, treated as unlimited
  std::vector<Gpu> gpus;
  std::vector<CpuPlace> places;  // of these CPUs; empty: unknown
  bool operator==(const Inventory&) const = default;
};

struct PlannedRank {
  uint32_t group = 0;  // index into JobSpec::groups
  Rank rank = 0;       // in its group
  Rank world_rank = 0;
  uint32_t world_size = 0;
  uint32_t local_rank = 0;  // on its node
  uint32_t local_size = 0;
  NodeIndex node = 0;
  uint32_t group_node = 0;  // the node's place in its group
  uint32_t group_nodes = 0;
  std::vector<Gpu> gpus;
  std::vector<uint32_t> cpus;  // reserved, and the rank is bound to them; empty: not bound
  uint64_t memory_bytes = 0;   // reserved; 0: none
  std::vector<uint32_t> near;  // TorchSpec::numa_binding: bound to these, not reserved; if `cpus` is empty
  bool operator==(const PlannedRank&) const = default;
};

struct PlannedNode {
  NodeIndex node = 0;
  uint32_t group = 0;
  std::string host;
  std::vector<uint32_t> ranks;  // indices into Plan::ranks
  std::string role = {};        // torchrun --role, which each host types for itself; empty: that of the job
  bool operator==(const PlannedNode&) const = default;
};

// Elastic membership: hosts join and leave by themselves. Each attempt distributes its ranks over the hosts that are
// there.
struct ElasticMembership {
  uint32_t least = 1;     // fewest hosts of an attempt
  uint32_t most = 1;      // most hosts of an attempt
  Duration last_call{0};  // how long to wait for more hosts once there are `least`
  bool operator==(const ElasticMembership&) const = default;
};

struct Plan {
  std::vector<PlannedNode> nodes;
  std::vector<PlannedRank> ranks;               // in group order, then rank order
  std::optional<ElasticMembership> membership;  // nullopt: the nodes are fixed
  bool operator==(const Plan&) const = default;
};

// Divides one machine among the nodes of the job. GPUs and CPUs are assigned in order, none twice. A group of MIN..MAX
// nodes gets as many as fit; if there are too many, the group furthest above its minimum loses nodes first. Ranks are
// bound to CPUs only if `worker.cpus` is set.
//
// resource_exhausted: the machine can never hold the job at its smallest size; the message says what is short and by
// how much. invalid_argument: torch.numa_binding is set, and a rank has no GPU or no allowed CPU near it
// (numa_binding.h).
Result<Plan> plan_on_one_machine(const JobSpec& spec, const Inventory& machine);

// A host and its number of ranks. ranks 0: no host has this place.
struct HostShare {
  std::string host;
  uint32_t ranks = 0;
  std::string role = {};
};

// Distributes the ranks of one group over these hosts in order; node n is hosts[n]. A rank gets the devices of the rank
// in `devices` (another plan) with the same node and local rank.
Plan plan_of_hosts(const std::vector<HostShare>& hosts, const Plan& devices);

// The CPUs to which a rank is bound; empty: not bound.
const std::vector<uint32_t>& bound_cpus(const PlannedRank& rank);

// The entry of `hosts` for the rank's host; null if there is none. Points into `spec`.
const HostSpec* host_of(const JobSpec& spec, const Plan& plan, const PlannedRank& rank);

// Variables that the job sets only for ranks on this host.
std::map<std::string, std::string> host_variables(const HostSpec& host);

// The name of a rank in messages: "rank 3", or "trainer 0" if the job has several groups with worlds of their own.
std::string rank_name(const JobSpec& spec, const PlannedRank& rank);

}  // namespace muster
