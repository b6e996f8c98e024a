// What torch.distributed's env:// and torchrun's workers read
// (torch/distributed/elastic/agent/server/local_elastic_agent.py, 2.15).
#include "core/base/short_hash.h"
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

Value number_text(uint64_t value) { return std::to_string(value); }

// The world's, or the front of the rank's own node.
const Endpoint& meeting(View v) {
  if (v.rank.node < v.place.fronts.size() && v.place.fronts[v.rank.node].port != 0) return v.place.fronts[v.rank.node];
  return world_endpoint(v);
}

// torch's client asks for the name of the address it connects to: a name that this machine knows by itself spares that
// question (docs/torchrun.md).
Value meeting_address(View v) {
  const std::string& address = meeting(v).address;
  return address == "127.0.0.1" && v.rank.node < v.place.loopbacks.size() ? v.place.loopbacks[v.rank.node] : address;
}

// Ranks of a world that spans several groups count their role apart.
Value role_size(View v) {
  uint32_t size = 0;
  for (const PlannedRank& rank : v.plan.ranks) size += rank.group == v.rank.group ? 1 : 0;
  return number_text(size);
}

Value role_name(View v) { return v.spec.torch.role.empty() ? v.spec.groups[v.rank.group].name : v.spec.torch.role; }

Value run_id(View v) { return v.spec.torch.run_id.empty() ? v.place.job.text() : v.spec.torch.run_id; }

Value error_file(View v) {
  if (v.error_file.empty()) return std::nullopt;
  return v.error_file;
}

// A program takes its device by LOCAL_RANK, so it must see those of its neighbours too.
Value visible_gpus(View v) {
  if (v.spec.torch.virtual_local_rank || v.rank.gpus.empty()) return std::nullopt;
  std::string uuids;
  for (const uint32_t index : v.plan.nodes[v.rank.node].ranks) {
    for (const Gpu& gpu : v.plan.ranks[index].gpus) uuids += (uuids.empty() ? "" : ",") + gpu.uuid;
  }
  return uuids;
}

Value one_thread(View v) {
  if (v.rank.local_size < 2) return std::nullopt;
  return "1";
}

// All processes of a node listen at one address, and would answer for each other's jobs. 127.0.0.0/8 is the machine's own, so each
// job takes an address of it, and no TCP port has to be found.
Value ras_address(View v) {
  const std::string job = v.place.job.text();
  if (job.empty()) return "";
  const auto digits = static_cast<uint32_t>(std::stoul(short_hash(job).substr(0, 6), nullptr, 16));
  return "127." + number_text(64 + (digits >> 16) % 128).value() + "." + number_text((digits >> 8) & 255).value() +
         "." + number_text(1 + (digits & 255) % 254).value() + ":28028";
}

// Files of a rank's own, beside its output, where the job file wants to know where ranks stand (hangs.action).
Value dump_file(View v, const char* ending) {
  constexpr std::string_view kError = ".error.json";
  if (v.spec.hangs.action == HangAction::report || !v.error_file.ends_with(kError)) return std::nullopt;
  return v.error_file.substr(0, v.error_file.size() - kError.size()) + ending;
}

constexpr FrameworkVariable kTorchVariables[] = {
    {"MASTER_ADDR", "where the ranks' store listens, numeric, or localhost where no name server is asked for it",
     meeting_address},
    {"MASTER_PORT", "its port, new in every attempt", [](View v) { return number_text(meeting(v).port); }},
    {"RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"WORLD_SIZE", "ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"LOCAL_RANK", "the rank on its node; 0 with torch.virtual_local_rank",
     [](View v) { return number_text(v.spec.torch.virtual_local_rank ? 0 : v.rank.local_rank); }},
    {"LOCAL_WORLD_SIZE", "ranks on the node", [](View v) { return number_text(v.rank.local_size); }},
    {"GROUP_RANK", "the node among the nodes of the world", [](View v) { return number_text(world_node(v)); }},
    {"GROUP_WORLD_SIZE", "nodes of the world", [](View v) { return number_text(world_nodes(v)); }},
    {"ROLE_NAME", "torch.role, else the group's name", role_name},
    {"ROLE_RANK", "the rank in its group", [](View v) { return number_text(v.rank.rank); }},
    {"ROLE_WORLD_SIZE", "ranks of the group", role_size},
    {"TORCHELASTIC_RUN_ID", "torch.run_id, else the job's id; the same in every attempt", run_id},
    {"TORCHELASTIC_RESTART_COUNT", "restarts of the job so far, the same on every node",
     [](View v) { return number_text(v.place.restarts); }},
    {"TORCHELASTIC_MAX_RESTARTS", "restarts.limit", [](View v) { return number_text(v.spec.restarts.limit); }},
    {"TORCHELASTIC_USE_AGENT_STORE", "True: no rank opens the store, an agent serves it (store: hosted, proxy)",
     [](View v) -> Value { return v.spec.store == StoreHost::program ? "False" : "True"; }},
    {"TORCHELASTIC_ERROR_FILE", "where @record leaves the rank's exception", error_file},
    {"TORCHELASTIC_SIGNALS_TO_HANDLE", "signals that end a job",
     [](View) -> Value { return "SIGTERM,SIGINT,SIGHUP,SIGQUIT"; }},
    {"CUDA_VISIBLE_DEVICES", "the GPUs of all ranks on the node, by UUID, so that LOCAL_RANK counts them",
     visible_gpus},
    {"TORCH_NCCL_ASYNC_ERROR_HANDLING", "a broken collective ends the rank instead of hanging it",
     [](View) -> Value { return "1"; }, true},
    {"NCCL_RAS_ADDR", "where NCCL's RAS of this job is asked, on every node", ras_address, true},
    {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE", "how its flight recorder is asked (hangs.action: dump, restart)",
     [](View v) { return dump_file(v, ".ask-"); }, true},
    {"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "where it answers", [](View v) { return dump_file(v, ".flight-"); }, true},
    {"TORCH_WORKER_SERVER_SOCKET", "where programs that use worker_main() are asked; agents shorten what is too long",
     [](View v) { return dump_file(v, ".torch"); }, true},
    {"OMP_NUM_THREADS", "several ranks on a node would take all cores each", one_thread, true},
};

}  // namespace

std::span<const FrameworkVariable> torch_variables() { return kTorchVariables; }

}  // namespace muster
