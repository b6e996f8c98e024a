// SPDX-License-Identifier: Apache-2.0
// Variables for JAX (jax/_src/distributed.py and jax/_src/clusters, 0.10). JAX reads the number of processes and its own
// only from a cluster that it knows, so ranks see the variables of a Slurm step. Without JAX_COORDINATOR_ADDRESS it would
// compute a TCP port from SLURM_JOB_ID.
#include "core/base/short_hash.h"
#include "core/base/text.h"
#include "core/framework/world_place.h"
#include "core/job/variable_names.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

// By default the service, which has no authentication, listens at every address of the machine.
Value bind_address(View v) {
  if (world_endpoint(v).address != "127.0.0.1") return std::nullopt;
  return world_endpoint_text(v);
}

// Slurm's job ids are numbers.
Value job_number(View v) {
  return std::to_string(std::stoul(short_hash(v.place.job.text()).substr(0, 7), nullptr, 16) + 1);
}

// JAX numbers the GPUs that CUDA_VISIBLE_DEVICES shows.
Value own_devices(View v) {
  std::string own;
  size_t device = 0;
  for (const uint32_t index : v.plan.nodes[v.rank.node].ranks) {
    const PlannedRank& rank = v.plan.ranks[index];
    for (size_t i = 0; i < rank.gpus.size(); ++i, ++device) {
      if (rank.local_rank == v.rank.local_rank) own += (own.empty() ? "" : ",") + std::to_string(device);
    }
  }
  return own.empty() ? Value() : own;
}

Value rank_of(View v) { return number_text(v.rank.world_rank); }
Value size_of(View v) { return number_text(v.rank.world_size); }

constexpr FrameworkVariable kJaxVariables[] = {
    {"JAX_COORDINATOR_ADDRESS", "where rank 0 opens the coordination service; the TCP port is new in each attempt",
     world_endpoint_text},
    {"JAX_COORDINATOR_BIND_ADDRESS", "the same on one machine, so that other machines cannot reach the service",
     bind_address},
    {"SLURM_JOB_ID", "a number of the job; JAX takes the place of a rank from the variables of a Slurm step",
     job_number, true},
    {"SLURM_STEP_NODELIST", "address of the world's first node; JAX only looks whether it is set",
     [](View v) -> Value { return world_endpoint(v).address; }, true},
    {"SLURM_NTASKS", "number of ranks of the world", size_of},
    {"SLURM_PROCID", "the rank in its world", rank_of},
    {"SLURM_LOCALID", "the rank on its node", [](View v) { return number_text(v.rank.local_rank); }},
    {"JAX_LOCAL_DEVICE_IDS", "the rank's own GPUs, as positions in CUDA_VISIBLE_DEVICES", own_devices},
    {"CUDA_VISIBLE_DEVICES", "the GPUs of all ranks on the node, by UUID", node_gpus},
    {kNoProxyVariable,
     "only if a proxy is set: address of the coordination service, then your no_proxy; gRPC uses no proxy for these",
     [](View v) -> Value { return world_endpoint(v).address; }, true},
    {"JAX_NUM_PROCESSES", "number of ranks of the world, for programs of Kubeflow Trainer", size_of},
    {"JAX_PROCESS_ID", "the rank in its world, for programs of Kubeflow Trainer", rank_of},
    {"COORDINATOR_ADDRESS", "address of the coordination service, for programs of Kubeflow's JAXJob",
     [](View v) -> Value { return world_endpoint(v).address; }},
    {"COORDINATOR_PORT", "its TCP port, for programs of Kubeflow's JAXJob",
     [](View v) { return number_text(world_endpoint(v).port); }},
    {"NUM_PROCESSES", "number of ranks of the world, for programs of Kubeflow's JAXJob", size_of},
    {"PROCESS_ID", "the rank in its world, for programs of Kubeflow's JAXJob", rank_of},
};

}  // namespace

std::span<const FrameworkVariable> jax_variables() { return kJaxVariables; }

}  // namespace muster
