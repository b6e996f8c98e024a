// SPDX-License-Identifier: Apache-2.0
// Variables that torch.distributed (env://) and programs for torchrun read
// (torch/distributed/elastic/agent/server/local_elastic_agent.py, 2.15).
#include <algorithm>

#include "core/base/short_hash.h"
#include "core/base/text.h"
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

// The endpoint of the world's store, or of the store proxy of the rank's node.
const Endpoint& meeting(View v) {
  if (v.rank.node < v.place.fronts.size() && v.place.fronts[v.rank.node].port != 0) return v.place.fronts[v.rank.node];
  return world_endpoint(v);
}

// torch's client looks up the name of the address to which it connects. A local name for 127.0.0.1 avoids a query to a
// name server (docs/reference/torchrun.md).
Value meeting_address(View v) {
  const std::string& address = meeting(v).address;
  return address == "127.0.0.1" && v.rank.node < v.place.loopbacks.size() ? v.place.loopbacks[v.rank.node] : address;
}

// In a world with several groups, each group has a role of its own. A host that was started by hand may have its own too.
bool has_same_role(View v, const PlannedRank& other) {
  return other.group == v.rank.group && v.plan.nodes[other.node].role == v.plan.nodes[v.rank.node].role;
}

Value role_size(View v) {
  return number_text(static_cast<uint64_t>(std::count_if(
      v.plan.ranks.begin(), v.plan.ranks.end(), [&](const PlannedRank& rank) { return has_same_role(v, rank); })));
}

Value role_rank(View v) {
  if (!v.plan.membership) return number_text(v.rank.rank);  // no host has a role of its own
  return number_text(
      static_cast<uint64_t>(std::count_if(v.plan.ranks.begin(), v.plan.ranks.end(), [&](const PlannedRank& rank) {
        return has_same_role(v, rank) && rank.rank < v.rank.rank;
      })));
}

Value role_name(View v) { return v.spec.torch.role.empty() ? v.spec.groups[v.rank.group].name : v.spec.torch.role; }

Value run_id(View v) { return v.spec.torch.run_id.empty() ? v.place.job.text() : v.spec.torch.run_id; }

Value error_file(View v) {
  if (v.error_file.empty()) return std::nullopt;
  return v.error_file;
}

// As torchrun --virtual-local-rank, for GPUs that muster does not know: the entry of CUDA_VISIBLE_DEVICES that has the
// number of the local rank, or that number. An entry that is missing shows no GPU.
Value numbered_gpu(View v) {
  if (!v.visible_devices) return number_text(v.rank.local_rank);
  const std::vector<std::string> entries = split(*v.visible_devices, ',');
  if (v.rank.local_rank >= entries.size()) return "";
  const std::string& entry = entries[v.rank.local_rank];
  const size_t begin = std::min(entry.find_first_not_of(' '), entry.size());
  return entry.substr(begin, entry.find_last_not_of(' ') + 1 - begin);
}

// A program selects its device by LOCAL_RANK, so it must see the GPUs of all ranks on the node. With virtual local ranks
// each rank sees its own: plain.cc says which, if muster knows them.
Value visible_gpus(View v) {
  if (v.spec.torch.virtual_local_rank) return v.rank.gpus.empty() ? numbered_gpu(v) : std::nullopt;
  return node_gpus(v);
}

Value one_thread(View v) {
  if (v.rank.local_size < 2) return std::nullopt;
  return "1";
}

// The processes of several jobs on a node would use the same default address. So each job gets an address of its own in
// 127.0.0.0/8, and no TCP port has to be leased.
Value ras_address(View v) {
  const std::string job = v.place.job.text();
  if (job.empty()) return "";
  const auto digits = static_cast<uint32_t>(std::stoul(short_hash(job).substr(0, 6), nullptr, 16));
  return "127." + number_text(64 + (digits >> 16) % 128).value() + "." + number_text((digits >> 8) & 255).value() +
         "." + number_text(1 + (digits & 255) % 254).value() + ":28028";
}

// A file beside the rank's output, if hangs.action asks for the location of ranks.
Value dump_file(View v, const char* ending) {
  constexpr std::string_view kError = ".error.json";
  if (v.spec.hangs.action == HangAction::report || !v.error_file.ends_with(kError)) return std::nullopt;
  return v.error_file.substr(0, v.error_file.size() - kError.size()) + ending;
}

constexpr FrameworkVariable kTorchVariables[] = {
    {"MASTER_ADDR", "address of the torch store: numeric, or a local name for 127.0.0.1 that needs no name server",
     meeting_address},
    {"MASTER_PORT", "port of the torch store, new in each attempt",
     [](View v) { return number_text(meeting(v).port); }},
    {"RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"WORLD_SIZE", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"LOCAL_RANK", "the rank on its node; 0 with torch.virtual_local_rank",
     [](View v) { return number_text(v.spec.torch.virtual_local_rank ? 0 : v.rank.local_rank); }},
    {"LOCAL_WORLD_SIZE", "number of ranks on the node", [](View v) { return number_text(v.rank.local_size); }},
    {"GROUP_RANK", "number of the node among the nodes of the world",
     [](View v) { return number_text(world_node(v)); }},
    {"GROUP_WORLD_SIZE", "number of nodes of the world", [](View v) { return number_text(world_nodes(v)); }},
    {"ROLE_NAME", "torch.role, else the name of the group", role_name},
    {"ROLE_RANK", "the rank in its group, among the ranks with its role", role_rank},
    {"ROLE_WORLD_SIZE", "number of ranks of the group that have its role", role_size},
    {"TORCHELASTIC_RUN_ID", "torch.run_id, else the job's id; the same in every attempt", run_id},
    {"TORCHELASTIC_RESTART_COUNT", "number of restarts of the job so far, the same on every node",
     [](View v) { return number_text(v.place.restarts); }},
    {"TORCHELASTIC_MAX_RESTARTS", "restarts.limit", [](View v) { return number_text(v.spec.restarts.limit); }},
    {"TORCHELASTIC_USE_AGENT_STORE",
     "True if an agent serves the store (store: hosted, proxy), False if rank 0 opens it",
     [](View v) -> Value { return hosts_store(v.spec) ? "True" : "False"; }},
    {"TORCHELASTIC_ERROR_FILE", "file to which @record writes the rank's exception", error_file},
    {"TORCHELASTIC_SIGNALS_TO_HANDLE", "signals that end a job",
     [](View) -> Value { return "SIGTERM,SIGINT,SIGHUP,SIGQUIT"; }},
    {"CUDA_VISIBLE_DEVICES",
     "the GPUs of all ranks on the node, by UUID; LOCAL_RANK is an index into them (with torch.virtual_local_rank: the "
     "rank's own GPU)",
     visible_gpus},
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "1: a collective that fails ends the rank instead of blocking it",
     [](View) -> Value { return "1"; }, true},
    {"NCCL_RAS_ADDR", "address of NCCL's RAS for this job, on every node", ras_address, true},
    {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE",
     "pipe through which muster asks the flight recorder for a dump (hangs.action: dump, restart)",
     [](View v) { return dump_file(v, ".ask-"); }, true},
    {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "file to which the flight recorder writes its dump",
     [](View v) { return dump_file(v, ".flight-"); }, true},
    {"TORCH_WORKER_SERVER_SOCKET",
     "socket of the worker server of programs that use worker_main(); a path that is too long is shortened",
     [](View v) { return dump_file(v, ".torch"); }, true},
};

constexpr FrameworkVariable kThreadVariables[] = {
    {"OMP_NUM_THREADS", "1 if the node has several ranks, because each of them would use all cores", one_thread, true},
};

}  // namespace

std::span<const FrameworkVariable> torch_variables() { return kTorchVariables; }

std::span<const FrameworkVariable> thread_variables() { return kThreadVariables; }

}  // namespace muster
