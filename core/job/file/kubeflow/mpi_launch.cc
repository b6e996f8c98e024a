// SPDX-License-Identifier: Apache-2.0
// launch_mpi().
#include <algorithm>
#include <array>
#include <map>

#include "core/base/text.h"
#include "core/job/file/kubeflow/framework_launch.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/launch_words.h"
#include "core/job/file/kubeflow/pod_cluster.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/references.h"
#include "core/job/mpirun/launcher_variables.h"
#include "core/job/mpirun/mpirun_line.h"
#include "core/job/mpirun/mpirun_policy.h"

namespace muster {
namespace {

using Fill = MpirunPolicy::Fill;

class MpiLaunch {
 public:
  MpiLaunch(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size)
      : reading_(reading),
        job_(job),
        group_(group),
        size_(size) {}

  void read();

 private:
  void note_without_effect(const MpirunFlags& flags);
  void take_settings(const MpirunFlags& flags);
  void take_variables(const MpirunFlags& flags);
  void take_size(const MpirunFlags& flags);
  void fill(const MpirunFlags& flags, const MpirunPolicy& policy);
  void set_size(uint64_t nodes, uint64_t workers, bool cyclic);
  void refuse(std::string message, std::string help) { reading_.error("E1806", where_, message, help); }
  void refuse_uneven(uint64_t ranks, uint64_t nodes, uint64_t slots);
  bool has_reference(const std::string& value);

  Reading& reading_;
  YamlNode& job_;
  PodGroup& group_;
  GroupSize& size_;
  SourceRange where_;  // of mpirun
};

MpirunLine line_of(const std::vector<YamlNode>& command) {
  std::vector<std::string> words;
  for (size_t at = 1; at < command.size(); ++at) words.push_back(as_written(command[at].text));
  return parse_mpirun(words);
}

void MpiLaunch::read() {
  group_.command = without_shell(std::move(group_.command));
  std::vector<YamlNode>& command = group_.command;
  where_ = command.front().where;
  const MpirunLine line = line_of(command);
  if (line.problem) {
    const size_t at = std::min(line.problem_word + 1, command.size() - 1);
    return reading_.error(line.problem->code.c_str(), command[at].where, line.problem->message, line.problem->help);
  }
  if (line.flags.apps.empty()) return refuse("mpirun has no program to start", "add the program and its arguments");
  note_without_effect(line.flags);
  take_settings(line.flags);
  take_variables(line.flags);
  take_size(line.flags);
  // The program's words keep their places: they are the last ones, unless a `:` without a program follows.
  const size_t count = line.flags.apps.front().command.size();
  const size_t after = command.back().text == ":" ? 1 : 0;
  const auto end = command.end() - static_cast<ptrdiff_t>(after);
  command = std::vector<YamlNode>(end - static_cast<ptrdiff_t>(count), end);
}

void MpiLaunch::note_without_effect(const MpirunFlags& flags) {
  const MpirunApp& app = flags.apps.front();
  for (const std::string& sentence : flags.ignored) reading_.note(where_, sentence);
  constexpr const char* kHosts = " has no effect: the ranks run on the nodes of the manifest";
  if (!app.hosts.empty()) reading_.note(where_, std::string("-H") + kHosts);
  if (std::any_of(app.hostfiles.begin(), app.hostfiles.end(), [](auto& file) { return file != kOperatorsHostfile; }))
    reading_.note(where_, std::string("--hostfile") + kHosts);
  const bool output = flags.tag != MpirunTag::none || flags.times || flags.merge_stderr ||
                      !flags.output_folder.empty() || !flags.out_pattern.empty() || !flags.err_pattern.empty() ||
                      flags.input != MpirunFlags().input;
  if (output)
    reading_.note(where_, "mpirun's flags about output and stdin have no effect: muster keeps the output of each rank");
}

// Whether the value of a flag refers to a variable that the manifest gives no value; reports it.
bool MpiLaunch::has_reference(const std::string& value) {
  const bool refers = std::any_of(group_.command.begin(), group_.command.end(), [&](const YamlNode& word) {
    return !references_in(word.text).empty() && as_written(word.text).find(value) != std::string::npos;
  });
  if (!refers || value.find("$(") == std::string::npos) return false;
  reading_.error("E1803", where_, "muster cannot fill in `" + escaped(value) + "` in a flag of mpirun",
                 "give the variable a `value`, or read it in the program");
  return true;
}

void MpiLaunch::take_settings(const MpirunFlags& flags) {
  const std::string& workdir = flags.apps.front().workdir;
  if (!workdir.empty() && !has_reference(workdir)) put(job_, "workdir", text_node(workdir, where_));
  if (flags.seconds.value_or(0) > 0) limit_run_time(job_, *flags.seconds, where_);
  if (!flags.restarts) return;
  const YamlNode restarts = plain_node(std::to_string(*flags.restarts), where_);
  add_restarts(job_, &restarts);
}

// mpirun gives NAME=VALUE to the ranks whatever the launcher has. NAME copies a variable of the launcher, and ranks have
// those of the launcher.
void MpiLaunch::take_variables(const MpirunFlags& flags) {
  for (const auto* variables : {&flags.variables, &flags.apps.front().variables}) {
    for (const std::string& each : *variables) {
      const size_t equal = each.find('=');
      if (equal == std::string::npos || has_reference(each)) continue;
      group_.templates.erase(each.substr(0, equal));
      put(group_.env, each.substr(0, equal), text_node(each.substr(equal + 1), where_));
    }
  }
}

void MpiLaunch::take_size(const MpirunFlags& flags) {
  std::map<std::string, std::string> environment;
  for (const YamlEntry& entry : group_.env.entries) environment[entry.key] = entry.value.text;
  const auto policy = mpirun_policy(flags, environment);
  if (!policy.ok()) {
    const bool unknown = policy.status().code() != Code::unimplemented;
    const Diagnostic problem = mpirun_problem(unknown ? "E1702" : "E1703", policy.status());
    return reading_.error(problem.code.c_str(), where_, problem.message, problem.help);
  }
  if (!policy->note.empty()) reading_.note(where_, policy->note);
  if (policy->cores > 0)
    reading_.note(where_, "mpirun does not bind ranks here: their CPUs are those of the pod, divided among them");
  if (policy->fill == Fill::per_object && policy->object != "node")
    return refuse("muster does not count the " + policy->object + "s of pods, so it cannot place ranks by them",
                  "give the number of ranks on each node: -N");
  fill(flags, *policy);
}

void MpiLaunch::fill(const MpirunFlags& flags, const MpirunPolicy& policy) {
  const uint64_t nodes = std::max<uint64_t>(1, number_in(&size_.nodes).value_or(1));
  const uint64_t slots = size_.workers ? std::max<uint64_t>(1, number_in(&*size_.workers).value_or(1)) : 1;
  const uint64_t per = policy.fill == Fill::per_object ? policy.per : slots;
  const uint64_t asked = flags.apps.front().ranks.value_or(0);
  const uint64_t ranks = asked > 0 ? asked : nodes * per;
  const bool countable = per <= kLargestCount && ranks <= kLargestCount;
  const bool fits = countable && ranks <= nodes * per && (per <= slots || policy.oversubscribe);
  if (!fits && (!countable || !policy.oversubscribe || policy.fill == Fill::per_object))
    return refuse("mpirun shall start " + std::to_string(std::max(ranks, per)) + " ranks, and there are " +
                      count_of(nodes, "node") + " with " + count_of(slots, "slot") + " each",
                  "lower the number of ranks, give the nodes more slots, or add --oversubscribe");
  // mpirun fills a host before it takes the next, or takes the hosts in turn.
  const bool in_turn = policy.fill == Fill::by_node || !fits;
  const uint64_t used = in_turn ? std::min(ranks, nodes) : (ranks + per - 1) / per;
  if (ranks % used != 0 || (!in_turn && used > 1 && ranks % per != 0)) return refuse_uneven(ranks, nodes, slots);
  set_size(used, ranks / used, policy.cyclic);
}

void MpiLaunch::refuse_uneven(uint64_t ranks, uint64_t nodes, uint64_t slots) {
  refuse("mpirun shall start " + std::to_string(ranks) + " ranks, and " + count_of(nodes, "node") + " with " +
             count_of(slots, "slot") + " each do not hold them evenly",
         "choose a number of ranks that fills each node, such as " + std::to_string(nodes * slots));
}

void MpiLaunch::set_size(uint64_t nodes, uint64_t workers, bool cyclic) {
  size_.nodes = plain_node(std::to_string(nodes), where_);
  size_.workers = plain_node(std::to_string(workers), where_);
  if (cyclic && nodes > 1 && workers > 1) put(job_, "placement", text_node("cyclic", where_));
}

}  // namespace

bool starts_mpi_ranks(const PodGroup& launcher) {
  if (launcher.command.empty()) return true;
  const std::vector<YamlNode> command = without_shell(launcher.command);
  if (!starts_mpirun(command)) return false;
  const MpirunLine line = line_of(command);
  const MpirunFlags& flags = line.flags;
  if (line.problem) return true;
  return flags.apps.size() <= 1 && flags.appfile.empty() && (flags.apps.empty() || flags.apps.front().path.empty());
}

PodGroup join_mpi_pods(const PodGroup& launcher, const PodGroup& workers, bool launcher_works) {
  PodGroup pod = workers;
  pod.where = launcher.where;
  pod.command = launcher.command;
  pod.added = launcher.added;
  // mpirun starts the ranks in the folder of the launcher.
  if (const YamlNode* folder = child(&launcher.pods, kWorkdir)) put(pod.pods, kWorkdir, *folder);
  lay_over(pod.env, launcher.env);
  for (const YamlEntry& each : launcher.env.entries) pod.secrets.erase(each.key);
  pod.secret_in_command = launcher.secret_in_command;
  pod.secrets.insert(launcher.secrets.begin(), launcher.secrets.end());
  for (const auto& [name, text] : launcher.templates) {
    pod.templates[name] = text;
    std::erase_if(pod.env.entries, [&name = name](const YamlEntry& each) { return each.key == name; });
  }
  if (launcher_works) {
    if (launcher.cpus > pod.cpus) {
      pod.cpus = launcher.cpus;
      pod.cpus_written = launcher.cpus_written;
    }
    pod.gpus = std::max(pod.gpus, launcher.gpus);
    pod.gpu_resources.insert(pod.gpu_resources.end(), launcher.gpu_resources.begin(), launcher.gpu_resources.end());
    pod.memory = std::max(pod.memory, launcher.memory);
  }
  return pod;
}

void launch_mpi(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size) {
  put(job, "framework", text_node("mpi", group.where));
  if (!group.command.empty()) MpiLaunch(reading, job, group, size).read();
}

}  // namespace muster
