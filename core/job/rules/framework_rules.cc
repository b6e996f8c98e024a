// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/framework_rules.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/rules/task_types.h"

namespace muster {
namespace {

using Found = std::vector<Contradiction>;

constexpr const char* kLayout = "E1318";
constexpr const char* kVariable = "E1319";

std::string group_path(size_t group) { return "groups." + std::to_string(group); }

void check_variables(const JobSpec& spec, const std::map<std::string, EnvValue>& env, const std::string& path,
                     Found& found) {
  for (const std::string_view variable : fixed_variables(spec.framework)) {
    const std::string name(variable);
    if (env.count(name) == 0) continue;
    found.push_back({kVariable, path + "." + name,
                     "`env` sets " + name + ", which muster sets for each rank and attempt with framework " +
                         std::string(to_string(spec.framework)),
                     "remove it. If the program needs addresses of its own, write  framework: plain", ""});
  }
}

bool has_task(const JobSpec& spec, std::string_view type) {
  for (uint32_t group = 0; group < spec.groups.size(); ++group) {
    if (task_type(spec, group) == type) return true;
  }
  return false;
}

bool is_single(const GroupSpec& group) {
  return group.max_nodes == 1 && !group.workers.automatic && group.workers.count == 1;
}

void check_task(const JobSpec& spec, uint32_t index, Found& found) {
  const GroupSpec& group = spec.groups[index];
  const std::string type = task_type(spec, index);
  const auto& types = task_types();
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    found.push_back({kLayout, group_path(index) + ".name", "`" + type + "` is not a task type of TensorFlow",
                     "with framework tensorflow, the name of a group is its task type: " + short_list(types, 4),
                     nearest(type, types).value_or("")});
  }
  if ((type == "chief" || type == "evaluator") && !is_single(group)) {
    const bool nodes = group.max_nodes > 1;
    found.push_back({kLayout, group_path(index) + (nodes ? ".nodes" : ".workers"),
                     "a TensorFlow cluster has one " + type + ", but the group can have several ranks",
                     "write  nodes: 1  and  workers: 1  for this group, and put the other ranks into group `worker`",
                     ""});
  }
}

void check_tensorflow(const JobSpec& spec, Found& found) {
  for (uint32_t index = 0; index < spec.groups.size(); ++index) check_task(spec, index, found);
  if (spec.groups.empty()) return;
  if (has_task(spec, "ps") && !has_task(spec, "worker")) {
    found.push_back(
        {kLayout, "groups", "a parameter server (group `ps`) needs workers", "add a group with  name: worker", ""});
  } else if (!has_task(spec, "worker") && !has_task(spec, "chief")) {
    found.push_back({kLayout, "groups", "no group of the job trains", "add a group with  name: worker", ""});
  }
  if (spec.groups.size() > 1 && spec.restarts.mode == RestartMode::group) {
    found.push_back({kLayout, "restarts.mode",
                     "`mode: group` does not go with several groups of framework tensorflow: TF_CONFIG has the "
                     "addresses of all groups, which are new in each attempt",
                     "remove it: all groups then restart together", ""});
  }
}

}  // namespace

std::vector<std::string_view> fixed_variables(Framework framework) {
  switch (framework) {
    case Framework::jax:
      return {"JAX_COORDINATOR_ADDRESS", "JAX_COORDINATOR_BIND_ADDRESS", "JAX_COORDINATOR_PORT", "SLURM_NTASKS",
              "SLURM_PROCID"};
    case Framework::mpi:
      return {"OMPI_COMM_WORLD_RANK",
              "OMPI_COMM_WORLD_SIZE",
              "OMPI_COMM_WORLD_LOCAL_RANK",
              "PMIX_RANK",
              "PMI_RANK",
              "PMI_SIZE"};
    case Framework::tensorflow: return {"TF_CONFIG"};
    case Framework::mlx: return {"MLX_RANK", "MLX_HOSTFILE", "NCCL_HOST_IP", "NCCL_PORT"};
    case Framework::xgboost: return {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID"};
    case Framework::paddle:
      return {"PADDLE_MASTER", "PADDLE_TRAINER_ID", "PADDLE_TRAINER_ENDPOINTS", "PADDLE_CURRENT_ENDPOINT"};
    case Framework::horovod: return {"HOROVOD_RANK", "HOROVOD_GLOO_RENDEZVOUS_ADDR", "HOROVOD_GLOO_RENDEZVOUS_PORT"};
    default: return {};
  }
}

std::vector<Contradiction> framework_contradictions(const JobSpec& spec) {
  Found found;
  check_variables(spec, spec.env, "env", found);
  for (size_t i = 0; i < spec.groups.size(); ++i)
    check_variables(spec, spec.groups[i].env, group_path(i) + ".env", found);
  if (spec.framework == Framework::tensorflow) check_tensorflow(spec, found);
  return found;
}

}  // namespace muster
