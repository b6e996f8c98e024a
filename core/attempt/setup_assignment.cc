// SPDX-License-Identifier: Apache-2.0
// Builds the setup task of a node's agent: the part of assignment.h about setup.
#include "core/attempt/assignment.h"
#include "core/job/json_text.h"
#include "core/job/plan/device_lease.h"

namespace muster {
namespace {

// Only the name of a secret counts: a new value does not repeat the setup.
void describe(std::string& text, const std::map<std::string, EnvValue>& values) {
  for (const auto& [name, value] : values)
    text += json_quoted(name) + (value.secret ? "" : "=" + json_quoted(value.literal)) + "\n";
}

void lay_over(SetupTask& task, const std::map<std::string, EnvValue>& values, const JobSecrets& secrets) {
  for (const auto& [name, value] : values) {
    const auto secret = secrets.secrets.find(name);
    if (!value.secret) task.environment[name] = value.literal;
    if (value.secret && secret != secrets.secrets.end()) task.environment[name] = secret->second;
  }
}

}  // namespace

const PlannedRank& first_rank(const Plan& plan, NodeIndex node) { return plan.ranks[plan.nodes[node].ranks.front()]; }

std::optional<SetupTask> setup_of(const Submission& submission, const JobSecrets& secrets, NodeIndex node,
                                  const BindTerms& terms) {
  const JobSpec& spec = submission.spec;
  std::vector<std::string> gpus;
  for (const uint32_t index : submission.plan.nodes[node].ranks) {
    if (!leases_before_ranks(spec)) break;
    for (const Gpu& gpu : submission.plan.ranks[index].gpus) gpus.push_back(gpu.uuid);
  }
  if (!needs_setup(spec) && gpus.empty()) return std::nullopt;
  const PlannedRank& rank = first_rank(submission.plan, node);
  SetupTask task;
  task.commands = spec.setup;
  task.venv = spec.python.venv;
  task.attempt = terms.attempt;
  task.index = submission.plan.nodes[node].ranks.front();
  task.output_path = terms.setup_output;
  task.gpus = std::move(gpus);
  task.host = submission.plan.nodes[node].host;
  for (const auto& command : spec.setup) task.identity += json_list(command) + "\n";
  task.identity += submission.code_hash + "\n" + json_quoted(spec.python.venv) + "\n";
  for (const auto* values : {&spec.env, &spec.groups[rank.group].env}) {
    describe(task.identity, *values);
    lay_over(task, *values, secrets);
  }
  const HostSpec* host = host_of(spec, submission.plan, rank);
  for (const auto& [name, value] : host != nullptr ? host_variables(*host) : std::map<std::string, std::string>()) {
    task.identity += json_quoted(name) + "=" + json_quoted(value) + "\n";
    task.environment[name] = value;
  }
  // These variables mark the processes, like those of ranks.
  task.environment["MUSTER_JOB_ID"] = submission.id.text();
  task.environment["MUSTER_JOB_NAME"] = submission.name;
  task.environment["MUSTER_NODE"] = std::to_string(node);
  return task;
}

}  // namespace muster
