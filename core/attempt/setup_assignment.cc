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

// The image of the node's ranks; nothing: they run on the host.
std::optional<ContainerTask> container_of(const JobSpec& spec, const Plan& plan, NodeIndex node) {
  const PlannedRank& rank = first_rank(plan, node);
  const std::string& image = image_of(spec, spec.groups[rank.group]);
  if (image.empty() || !uses_image(spec)) return std::nullopt;
  ContainerTask task{image, spec.in_image.program, {}, false};
  for (const std::string& text : spec.in_image.mounts) {
    if (const auto mount = mount_of(text)) task.mounts.push_back(*mount);
  }
  task.files = spec.in_image.files;
  for (const uint32_t index : plan.nodes[node].ranks) task.gpus = task.gpus || !plan.ranks[index].gpus.empty();
  return task;
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
  task.container = container_of(spec, submission.plan, node);
  task.host = submission.plan.nodes[node].host;
  for (const auto& command : spec.setup) task.identity += json_list(command) + "\n";
  task.identity += submission.code_hash + "\n" + json_quoted(spec.python.venv) + "\n";
  for (const auto* values : {&spec.env, &spec.groups[rank.group].env}) {
    describe(task.identity, *values);
    lay_over(task, *values, secrets);
  }
  // Changes of a setup to an image are lost with the container.
  if (task.container)
    task.identity += "image " + json_quoted(task.container->image) + " " + json_quoted(submission.id.text()) + "\n";
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
