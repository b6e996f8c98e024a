// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/trainer/trainer_variables.h"

#include <algorithm>
#include <cctype>

#include "core/job/file/kubeflow/trainer/torch_policy.h"
#include "core/job/pod_words.h"
#include "core/job/template_text.h"

namespace muster {
namespace {

constexpr const char* kIndexField = "metadata.annotations['batch.kubernetes.io/job-completion-index']";
constexpr std::string_view kProcesses = "PET_NPROC_PER_NODE";
constexpr std::string_view kNodeRank = "PET_NODE_RANK";
// Pods have addresses of their own, so each job can use the port of Trainer.
constexpr const char* kTrainerPort = "29500";

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool mentions(std::string_view text, std::string_view name) {
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) return true;
  }
  return false;
}

bool any_mentions(const std::vector<std::string>& words, std::string_view name) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return mentions(word, name); });
}

class TemplatesOfJob {
 public:
  TemplatesOfJob(const JobSpec& spec, const GroupSpec& group)
      : spec_(spec),
        group_(group),
        workers_(group.workers.automatic ? 0 : group.workers.count) {}

  TrainerVariables read() const;

 private:
  bool is_set_by_trainer(const std::string& name, const std::string& text, bool torch) const;
  bool is_index(std::string_view text) const;
  bool ranks_span_pods() const;
  bool starts_torchrun() const;
  std::optional<std::string> processes() const;
  std::optional<std::string> value_of(std::string_view word) const;
  std::optional<std::string> field_of(std::string_view text) const;
  void add(TrainerVariables& variables, const std::string& name, const std::string& text) const;

  const JobSpec& spec_;
  const GroupSpec& group_;
  const uint32_t workers_;  // of each pod; 0: not known
};

// The number of the pod.
bool TemplatesOfJob::is_index(std::string_view text) const {
  return text == "${node}" || text == "${group_node}" ||
         (workers_ == 1 && (text == "${rank}" || text == "${group_rank}"));
}

// mpirun runs in one pod and gives the ranks of all pods the variables of that one.
bool TemplatesOfJob::ranks_span_pods() const { return spec_.framework == Framework::mpi && group_.max_nodes > 1; }

// `torch`: the runtime has a torch policy.
bool TemplatesOfJob::is_set_by_trainer(const std::string& name, const std::string& text, bool torch) const {
  if (name == pod::kIndexVariable || (torch && name == kNodeRank)) return is_index(text) && !ranks_span_pods();
  if (torch && name == kProcesses) return text.find('$') == std::string::npos;
  return torch && is_set_by_torch_policy(name) && torchrun_variables("").at(name) == text;
}

bool TemplatesOfJob::starts_torchrun() const {
  return is_torch(spec_.framework) || any_mentions(group_.command, "torchrun") ||
         any_mentions(group_.command, "torch.distributed.run") ||
         any_mentions(group_.command, "torch.distributed.launch");
}

std::optional<std::string> TemplatesOfJob::processes() const {
  if (spec_.framework != Framework::custom) return std::nullopt;
  const bool of_torch = std::any_of(spec_.custom.begin(), spec_.custom.end(), [&](const auto& variable) {
    return variable.first != kProcesses && variable.first != pod::kIndexVariable &&
           is_set_by_trainer(variable.first, variable.second, true);
  });
  if (!of_torch) return std::nullopt;
  const auto there = spec_.custom.find(std::string(kProcesses));
  return there == spec_.custom.end() ? "1" : there->second;  // as torchrun without a number
}

// The value of a word that is the same in all pods.
std::optional<std::string> TemplatesOfJob::value_of(std::string_view word) const {
  const char* first = spec_.framework == Framework::mpi ? kTrainerLauncher : kTrainerNode;
  if (word == "nodes") return std::to_string(group_.max_nodes);
  if (word == "world_size" && workers_ > 0) return std::to_string(uint64_t{group_.max_nodes} * workers_);
  if (word == "master_address") return spec_.name + "-" + first + "-0-0." + spec_.name;
  if (word == "master_port") return kTrainerPort;
  if (word == "job") return spec_.name;
  if (word == "group") return group_.name;
  if (workers_ == 1 && word == "local_rank") return "0";
  if (workers_ == 1 && word == "local_size") return "1";
  return std::nullopt;
}

std::optional<std::string> TemplatesOfJob::field_of(std::string_view text) const {
  if (is_index(text)) return kIndexField;
  if (text == "${address}") return "status.podIP";
  if (text == "${host}") return "spec.nodeName";
  return std::nullopt;
}

void TemplatesOfJob::add(TrainerVariables& variables, const std::string& name, const std::string& text) const {
  if (const auto field = field_of(text)) {
    if (ranks_span_pods())
      variables.lost.push_back(name);
    else
      variables.fields[name] = *field;
    return;
  }
  bool complete = true;
  std::string filled = fill_template(text, [&](std::string_view word) {
    auto value = value_of(word);
    complete &= value.has_value();
    return value;
  });
  if (complete)
    variables.values[name] = std::move(filled);
  else
    variables.lost.push_back(name);
}

TrainerVariables TemplatesOfJob::read() const {
  TrainerVariables variables;
  variables.processes = processes();
  const bool torch = is_torch(spec_.framework) || variables.processes.has_value();
  const bool by_torchrun = torch && starts_torchrun();
  for (const auto& [name, text] : spec_.custom) {
    if (is_set_by_trainer(name, text, torch) || spec_.env.contains(name) || group_.env.contains(name)) continue;
    if (by_torchrun && is_of_torchrun(name) && !any_mentions(group_.command, name)) continue;
    if (torch && is_set_by_torch_policy(name))
      variables.lost.push_back(name);
    else
      add(variables, name, text);
  }
  return variables;
}

}  // namespace

bool is_torch(Framework framework) {
  return framework == Framework::torch || framework == Framework::lightning || framework == Framework::accelerate ||
         framework == Framework::deepspeed || framework == Framework::any;
}

std::string kubernetes_text(std::string_view literal) {
  std::string text;
  while (!literal.empty()) {
    const size_t dollars = std::min(literal.find_first_not_of('$'), literal.size());
    const bool expands = dollars > 1 || (dollars == 1 && literal.substr(1).starts_with('('));
    text.append(expands ? 2 * dollars : dollars, '$');
    literal.remove_prefix(dollars);
    const std::string_view plain = literal.substr(0, literal.find('$'));
    text += plain;
    literal.remove_prefix(plain.size());
  }
  return text;
}

TrainerVariables trainer_variables(const JobSpec& spec, const GroupSpec& group) {
  return TemplatesOfJob(spec, group).read();
}

}  // namespace muster
