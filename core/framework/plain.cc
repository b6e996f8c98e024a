// SPDX-License-Identifier: Apache-2.0
// Variables for all workers, with any framework.
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

// By UUID, because the numbering of NVML and CUDA can differ.
Value own_gpus(View v) {
  if (v.rank.gpus.empty()) return std::nullopt;
  std::string uuids;
  for (const Gpu& gpu : v.rank.gpus) uuids += (uuids.empty() ? "" : ",") + gpu.uuid;
  return uuids;
}

// Also for programs that are no Python command: a shell script or an installed entry point may start Python.
Value unbuffered(View) { return "1"; }

constexpr FrameworkVariable kPlainVariables[] = {
    {"MUSTER_JOB_ID", "the job's id", [](View v) -> Value { return v.place.job.text(); }},
    {"MUSTER_JOB_NAME", "the job's name", [](View v) -> Value { return v.place.job_name; }},
    {"MUSTER_ATTEMPT", "the attempt, from 1", [](View v) { return number_text(v.place.attempt); }},
    {"MUSTER_RESTARTS", "number of restarts so far", [](View v) { return number_text(v.place.restarts); }},
    {"MUSTER_GROUP", "the group's name", [](View v) -> Value { return v.spec.groups[v.rank.group].name; }},
    {"MUSTER_RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"MUSTER_WORLD_SIZE", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"MUSTER_LOCAL_RANK", "the rank on its node", [](View v) { return number_text(v.rank.local_rank); }},
    {"MUSTER_LOCAL_WORLD_SIZE", "number of ranks on the node", [](View v) { return number_text(v.rank.local_size); }},
    {"MUSTER_NODE", "the node's number in the job", [](View v) { return number_text(v.rank.node); }},
    {"MUSTER_ADDRESS", "the address at which peers reach this node", node_address},
    {"PYTHONUNBUFFERED", "1 if it is not set, because Python would buffer output to a file", unbuffered, true},
    {"CUDA_VISIBLE_DEVICES", "the GPUs of the rank, by UUID", own_gpus},
};

}  // namespace

std::span<const FrameworkVariable> plain_variables() { return kPlainVariables; }

}  // namespace muster
