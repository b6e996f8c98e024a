// Plan: a job resolved against nodes: which node runs which ranks with which devices. Pure.
//
// A process is (group, rank in group); its `world_rank` and `world_size` follow JobSpec::world. Nodes of a plan are
// numbered from 0 in group order; a node runs ranks of one group. Environment and ports come later, per attempt
// (core/framework), so that a plan is the same for every attempt that keeps its nodes. Where hosts come and go a node is a place
// for a host; one without a host has no ranks.
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
  uint32_t index = 0;  // in PCI order, as NVML counts
  std::string uuid;    // "GPU-…": what CUDA_VISIBLE_DEVICES gets
  std::string name;    // "NVIDIA H100 80GB HBM3"
  uint64_t memory_bytes = 0;
  int numa_node = -1;  // -1: unknown
  bool operator==(const Gpu&) const = default;
};

// Where a CPU sits; numbers are the kernel's, -1 where it tells none.
struct CpuPlace {
  uint32_t cpu = 0;
  int numa_node = 0;
  int package = 0;
  uint32_t core = 0;   // the lowest CPU of its core
  uint32_t cache = 0;  // the lowest CPU that shares its last cache
  bool operator==(const CpuPlace&) const = default;
};

// What a machine has to give.
struct Inventory {
  std::string host;
  std::vector<uint32_t>
      cpus;  // processing units we may run on, by kernel number, in topology order (neighbours share caches)
  std::optional<uint64_t> memory_bytes;  // absent: unknown, and never short
  std::vector<Gpu> gpus;
  std::vector<CpuPlace> places;  // of those CPUs; empty: not known
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
  std::vector<uint32_t> cpus;  // bound to these; empty: not bound
  uint64_t memory_bytes = 0;   // reserved; 0: none
  std::vector<uint32_t> near;  // TorchSpec::numa_binding: bound to these beside others, where it has none of its own
  bool operator==(const PlannedRank&) const = default;
};

struct PlannedNode {
  NodeIndex node = 0;
  uint32_t group = 0;
  std::string host;
  std::vector<uint32_t> ranks;  // indices into Plan::ranks
  bool operator==(const PlannedNode&) const = default;
};

// Nodes are hosts that come by themselves, and may go: every attempt deals its ranks to those that are there.
struct ElasticMembership {
  uint32_t least = 1;     // hosts that an attempt needs
  uint32_t most = 1;      // that it takes
  Duration last_call{0};  // for more, once there are enough
  bool operator==(const ElasticMembership&) const = default;
};

struct Plan {
  std::vector<PlannedNode> nodes;
  std::vector<PlannedRank> ranks;               // in group order, then rank order
  std::optional<ElasticMembership> membership;  // nothing: the nodes are those of the plan
  bool operator==(const Plan&) const = default;
};

// Divides one machine among the nodes the job asks for: GPUs and CPUs are dealt in order, none twice. A group of
// MIN..MAX nodes gets as many as fit; the group with most to give gives first. Fails with resource_exhausted when the
// machine could never hold the job at its smallest, naming what is short and by how much. CPUs are bound only when
// `worker.cpus` is set and all ranks fit; more than fit is an error. invalid_argument: torch.numa_binding, and a rank has
// no GPU or that none of the CPUs (numa_binding.h).
Result<Plan> plan_on_one_machine(const JobSpec& spec, const Inventory& machine);

// A host and how many ranks it takes; none: nobody has its place.
struct HostShare {
  std::string host;
  uint32_t ranks = 0;
};

// One group's ranks dealt to these hosts in their order; node n is hosts[n]. A rank has the devices that `devices`, another plan,
// gives the rank of its node and local rank.
Plan plan_of_hosts(const std::vector<HostShare>& hosts, const Plan& devices);

// The CPUs that a rank may run on; empty: any.
const std::vector<uint32_t>& bound_cpus(const PlannedRank& rank);

// The rank's host as the user named it; null: the job has no such hosts. Points into `spec`.
const HostSpec* host_of(const JobSpec& spec, const Plan& plan, const PlannedRank& rank);

// What the job says of ranks there alone.
std::map<std::string, std::string> host_variables(const HostSpec& host);

// What names a rank to people: "rank 3", or "trainer 0" when the job has several groups with own worlds.
std::string rank_name(const JobSpec& spec, const PlannedRank& rank);

}  // namespace muster
