// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/framework_launch.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/launch_words.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/trainer/torch_policy.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/references.h"
#include "core/job/python_command.h"

namespace muster {
namespace {

uint64_t per_cpu(const PodGroup& group) { return group.cpus > 0 ? static_cast<uint64_t>(std::ceil(group.cpus)) : 1; }

bool is_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

void check_torchrun_flags(Reading& reading, const Launch& launch) {
  for (const auto& [flag, value] : launch.flags) {
    const auto fate = torchrun_flag(flag);
    if (!fate)
      reading.error("E1802", value.where, "torchrun has no flag `--" + escaped(flag) + "` that muster knows",
                    "write the flag with its full name, as `torchrun --help` shows it, or remove it");
    else if (*fate == TorchrunFlag::without_effect)
      reading.note(value.where, "torchrun's --" + flag + " has no effect: muster starts the ranks itself");
  }
}

void take_torchrun_flags(Reading& reading, YamlNode& job, const Launch& launch, const GroupSize& size,
                         NodeProcesses& processes) {
  check_torchrun_flags(reading, launch);
  const SourceRange& where = processes.asked ? processes.asked->where : size.nodes.where;
  const std::string nodes = processes.nodes_of_job > 0 ? std::to_string(processes.nodes_of_job) : size.nodes.text;
  if (launch.passes_local_rank) put(map_at(job, "torch", where), "local_rank", text_node("argument", where));
  if (launch.flags.contains("virtual-local-rank"))
    put(map_at(job, "torch", where), "virtual_local_rank", plain_node("true", where));
  for (const auto& [flag, value] : launch.flags) {
    const bool variable = !references_in(value.text).empty() || value.text.find("${") != std::string::npos;
    if (variable) continue;  // of the operator, which the manifest says better
    if (flag == "nproc-per-node") processes.asked = value;
    if (flag == "max-restarts") add_restarts(job, &value);
    if (flag == "nnodes" && is_digits(value.text) && is_digits(nodes) && value.text != nodes)
      reading.error("E1806", value.where,
                    "the command starts torchrun on " + value.text + " nodes, and the manifest has " + nodes,
                    "leave --nnodes out: torchrun reads it from the manifest");
  }
  if (launch.flags.contains("standalone") && nodes != "1")
    reading.error("E1806", launch.flags.at("standalone").where,
                  "torchrun --standalone is for one node, and the manifest has " + nodes,
                  "leave --standalone out, so that the nodes train together");
}

// torchrun gives its processes these variables, whatever the container has. Trainer sets those that torchrun reads.
void drop_of_torchrun(Reading& reading, PodGroup& group) {
  const auto drops = [&](const std::string& name, const SourceRange& where) {
    const bool drop = is_of_torchrun(name) || name.starts_with("PET_");
    const char* why = name.starts_with("PET_") ? "muster starts the ranks, and reads torchrun's flags in the command"
                                               : "torchrun has its own value";
    if (drop) reading.note(where, "`" + escaped(name) + "` of the container has no effect: " + why);
    return drop;
  };
  std::erase_if(group.env.entries, [&](const YamlEntry& each) { return drops(each.key, each.value.where); });
  std::erase_if(group.templates, [&](const auto& each) { return drops(each.first, group.where); });
}

}  // namespace

YamlNode settled_processes(Reading& reading, const PodGroup& group, const NodeProcesses& processes) {
  const std::string text = processes.asked ? processes.asked->text : processes.one_without ? "1" : "auto";
  const SourceRange where = processes.asked ? processes.asked->where : group.where;
  std::optional<uint64_t> count;
  if (is_digits(text)) {
    const YamlNode digits = plain_node(text, where);
    count = number_in(&digits);
  } else if (text == "gpu" || (text == "auto" && group.gpus > 0)) {
    count = std::max<uint64_t>(1, group.gpus);
  } else if (text == "cpu" || text == "auto") {
    count = per_cpu(group);
  }
  if (count && *count > 0 && *count <= kLargestCount) return plain_node(std::to_string(*count), where);
  reading.error("E1802", where, "`" + escaped(text) + "` is no number of processes",
                "a number from 1 to " + std::to_string(kLargestCount) + ", auto, cpu or gpu");
  return plain_node("1", where);
}

bool starts_torch_ranks(const PodGroup& group, const std::string& python) {
  const std::vector<YamlNode> words = without_shell(group.command);
  return group.command.empty() || torchrun_launch(words, python) || is_python(texts_of(words));
}

void launch_torch(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size, const NodeProcesses& asked) {
  if (group.command.empty()) return;
  NodeProcesses processes = asked;
  group.command = without_shell(std::move(group.command));
  auto launch = torchrun_launch(group.command, reading.place().python);
  const bool by_torchrun = launch.has_value();
  if (by_torchrun) {
    if (!processes.asked) processes.one_without = false;
    take_torchrun_flags(reading, job, *launch, size, processes);
    if (launch->program.empty())
      return reading.error("E1806", group.command.front().where, "torchrun has no script to start",
                           "add the script and its arguments");
    group.command = std::move(launch->program);
    drop_of_torchrun(reading, group);
  } else if (!is_python(texts_of(group.command))) {
    return launch_once_per_node(reading, job, group, size, processes);
  } else if (processes.asked && !is_digits(processes.asked->text)) {
    // Only torchrun reads `auto`; a pod starts the command once.
    static_cast<void>(settled_processes(reading, group, processes));
    processes = {.asked = std::nullopt, .one_without = true, .nodes_of_job = 0};
  } else {
    processes.one_without = true;
  }
  put(job, "framework", text_node("torch", group.where));
  size.workers = settled_processes(reading, group, processes);
  group.added["PET_NPROC_PER_NODE"] = size.workers->text;
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) group.added[name] = "";
  if (!by_torchrun) give_added(group);
  if (size.workers->text == "1") return;
  // In a pod, RANK is the number of the pod.
  rename_references(group.command, "RANK", "GROUP_RANK");
  if (!by_torchrun)
    reading.note(group.command.front().where,
                 "the command is started " + size.workers->text +
                     " times on each node, once for each process; a pod would start it once");
}

void launch_once_per_node(Reading& reading, YamlNode& job, PodGroup& group, GroupSize& size,
                          const NodeProcesses& processes) {
  if (group.command.empty()) return;
  AddedVariables variables = torchrun_variables(kCompletionIndex);
  variables["PET_NPROC_PER_NODE"] = settled_processes(reading, group, processes).text;
  for (const auto& [name, text] : variables) group.templates.emplace(name, text);
  give_added(group);
  put(job, "framework", text_node("custom", size.nodes.where));
  size.workers = plain_node("1", group.where);
}

}  // namespace muster
