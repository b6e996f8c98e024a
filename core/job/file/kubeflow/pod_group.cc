// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/pod_group.h"

#include <algorithm>
#include <cmath>

#include "core/base/quantity.h"
#include "core/base/text.h"
#include "core/job/file/kubeflow/built_in_runtimes.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/pod_cluster.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/trainer/torch_policy.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/references.h"
#include "core/job/pods/pod_json.h"

namespace muster {
namespace {

// The container of the training; null, after reporting it, if there is none or it is not clear which one.
const YamlNode* training_container(Reading& reading, const YamlNode& pod_template,
                                   const std::vector<std::string_view>& names) {
  const YamlNode* containers = find(&pod_template, {"spec", "containers"});
  if (containers == nullptr || containers->items.empty()) {
    reading.error("E1806", pod_template.where, "this pod has no container", "add the container of the training");
    return nullptr;
  }
  if (containers->items.size() == 1) return &containers->items.front();
  for (const std::string_view name : names) {
    const YamlNode* found = named(containers, name);
    if (found == nullptr) continue;
    for (const YamlNode& other : containers->items) {
      if (&other != found)
        reading.error("E1803", other.where,
                      "muster runs one container of a pod, `" + std::string(name) + "`, and this is another one",
                      "remove it, or put its work into the command of `" + std::string(name) + "`");
    }
    return found;
  }
  reading.error("E1803", containers->where,
                "muster runs one container of a pod, and this pod has " + std::to_string(containers->items.size()),
                "keep the container of the training");
  return nullptr;
}

// Whether the first argument is a program. Images of MPI and others have an entry point that starts its arguments.
bool starts_with_program(const PodGroup& group) {
  const std::string& first = group.command.front().text;
  const std::string name = first.substr(first.find_last_of('/') + 1);
  return first.starts_with('/') || name.starts_with("mpi") || name.starts_with("python") || name == "torchrun" ||
         name == "bash" || name == "sh";
}

bool has_reference_mark(Reading& reading, const YamlNode& word) {
  if (word.text.find(kReferenceMark) == std::string::npos) return false;
  reading.error("E1802", word.where, "a command cannot contain the control character 0x1f", "remove it");
  return true;
}

// A shell of the rank fills references in, and shells cannot name each variable that Kubernetes can.
void check_references(Reading& reading, const YamlNode& word) {
  for (const std::string& name : references_in(word.text)) {
    if (!is_shell_variable(name))
      reading.error("E1803", word.where,
                    "muster cannot fill in `$(" + escaped(name) + ")`, because no shell can name this variable",
                    "give the variable a name of letters, digits and _");
  }
}

void read_command(Reading& reading, const YamlNode& container, const Variables& variables, PodGroup& group) {
  const std::vector<std::string>& typed = reading.place().typed_command;
  const YamlNode* command = child(&container, "command");
  const bool has_command = command != nullptr && !command->items.empty();
  for (const std::string& word : typed) {
    const YamlNode node = text_node(word, {"the command line", 0, 0, 1});
    if (!has_reference_mark(reading, node)) group.command.push_back(node);
  }
  if (!typed.empty() && has_command) return;
  for (const char* key : {"command", "args"}) {
    const YamlNode* words = child(&container, key);
    if (words == nullptr) continue;
    for (const YamlNode& word : words->items) {
      if (has_reference_mark(reading, word)) continue;
      group.command.push_back(text_node(variables.expand_word(word), word.where));
      group.secret_in_command |= variables.has_secret(word.text);
      check_references(reading, group.command.back());
    }
  }
  if (has_command || !typed.empty() || group.command.empty()) return;
  const SourceRange& where = child(&container, "args")->where;
  if (starts_with_program(group))
    return reading.note(where, "`args` is the command: the entry point of the image is not used");
  reading.error("E1806", where,
                "`args` without `command` are for the entry point of the image, which muster does not know",
                "write `command` as the ENTRYPOINT of the image has it, or type it: muster run FILE -- PROGRAM");
}

// At most kLargestQuantity.
uint64_t whole(double value) { return value < 1 ? 0 : static_cast<uint64_t>(value); }

// nvidia.com/gpu, amd.com/gpu, nvidia.com/mig-1g.5gb, gpu.intel.com/i915.
bool is_gpu_resource(std::string_view name) {
  if (name.find('/') == std::string_view::npos) return false;
  return name.ends_with("/gpu") || name.find(".com/mig-") != std::string_view::npos || name.starts_with("gpu.");
}

// nullopt after reporting it.
std::optional<double> amount_of(Reading& reading, const YamlEntry& resource) {
  const SourceRange& where = resource.value.where;
  const auto value = quantity_value(resource.value.text);
  if (!value) {
    reading.error("E1802", where, "`" + escaped(resource.value.text) + "` is no quantity of Kubernetes",
                  "such as 500m, 4 or 16Gi");
  } else if (*value > kLargestQuantity) {
    reading.error("E1802", where, "`" + escaped(resource.value.text) + "` is more than Kubernetes can count",
                  "the largest quantity is 2^63 - 1, about 8Ei");
  } else if (is_gpu_resource(resource.key) && *value != std::floor(*value)) {
    reading.error("E1802", where, "`" + escaped(resource.key) + "` must be a whole number",
                  "Kubernetes would reject it too");
  } else {
    return value;
  }
  return std::nullopt;
}

// As the manifest has it: `requests.cpu: 500m`.
std::string written(std::string_view kind, const YamlEntry& entry) {
  return "`" + std::string(kind) + "." + escaped(entry.key) + ": " + escaped(entry.value.text) + "`";
}

// On hosts: which resources have no effect, other than CPUs that do not make whole ones (add_group says that).
void note_unused(Reading& reading, std::string_view kind, const YamlEntry& entry, const YamlNode* of_other_kind) {
  if (entry.value.text == "0" || is_gpu_resource(entry.key)) return;
  const SourceRange& where = entry.value.where;
  const YamlNode* other = child(of_other_kind, entry.key);
  const bool is_same = other != nullptr && quantity_value(other->text) == quantity_value(entry.value.text);
  if (entry.key == "memory" && kind == "requests" && !is_same) {
    reading.note(where,
                 written(kind, entry) + " has no effect here: only `limits.memory` limits what a process can use");
  } else if (entry.key == "cpu" && kind == "limits" && other != nullptr && !is_same) {
    reading.note(where, written(kind, entry) + " has no effect here: muster reserves the CPUs of `requests`");
  } else if (entry.key != "cpu" && entry.key != "memory") {
    reading.note(where, written(kind, entry) + " has no effect here: on hosts, muster counts CPUs, memory and GPUs");
  }
}

void check_request(Reading& reading, const YamlEntry& request, const YamlNode* limit) {
  const auto value = quantity_value(request.value.text);
  const auto most = limit == nullptr ? std::nullopt : quantity_value(limit->text);
  constexpr double kRounding = 1 + 1e-9;  // 700m is not exactly 0.7
  if (!value || !most || *value <= *most * kRounding) return;
  reading.error("E1802", request.key_where,
                written("requests", request) + " is more than its limit, " + escaped(limit->text),
                "Kubernetes would reject it too");
}

void read_resources(Reading& reading, const YamlNode& container, PodGroup& group) {
  const YamlNode* resources = child(&container, "resources");
  for (const std::string_view kind : {"requests", "limits"}) {
    const bool are_requests = kind == "requests";
    const YamlNode* list = child(resources, kind);
    if (list == nullptr) continue;
    for (const YamlEntry& entry : list->entries) {
      const auto value = amount_of(reading, entry);
      if (!value) continue;
      if (are_requests) check_request(reading, entry, find(resources, {"limits", entry.key}));
      if (!reading.in_cluster())
        note_unused(reading, kind, entry, child(resources, are_requests ? "limits" : "requests"));
      // A pod is limited by `limits`. CPUs are reserved as `requests` say.
      if (entry.key == "cpu" && (are_requests || group.cpus == 0)) {
        group.cpus = *value;
        group.cpus_written = text_node(written(kind, entry), entry.value.where);
      }
      if (entry.key == "memory" && !are_requests) group.memory = whole(*value);
      if (!is_gpu_resource(entry.key) || whole(*value) == 0) continue;
      group.gpus = std::max(group.gpus, whole(*value));
      group.gpu_resources.push_back(text_node(entry.key, entry.key_where));
    }
  }
}

void read_stop_time(const YamlNode& pod_template, YamlNode& job) {
  const YamlNode* grace = find(&pod_template, {"spec", "terminationGracePeriodSeconds"});
  if (grace != nullptr && grace->kind == YamlNode::Kind::scalar)
    put(map_at(job, "timeouts", grace->where), "stop", plain_node(grace->text + "s", grace->where));
}

// `custom` is for all groups of a job.
void add_templates(Reading& reading, YamlNode& job, const PodGroup& group, uint64_t workers) {
  const std::string framework = text_of(child(&job, "framework"));
  for (const auto& [name, unsettled] : group.templates) {
    std::string text = replace_word(unsettled, kCompletionIndex, workers > 1 ? "${node}" : "${rank}");
    for (const std::string_view index : {kJobIndex, kGlobalJobIndex}) text = replace_word(text, index, "0");
    const YamlNode* there = child(child(&job, "custom"), name);
    if (framework == "torch" && is_of_torchrun(name)) {
      reading.note(group.where,
                   "`" + name + "` is not set, because the framework numbers the ranks: muster frameworks");
    } else if (there != nullptr && there->text != text) {
      reading.error("E1803", group.where,
                    "the pods of `" + escaped(group.name) + "` need another value of `" + escaped(name) +
                        "` than other pods of the job",
                    "set the variable to a value in each of them");
    } else {
      put(map_at(job, "custom", group.where), name, text_node(text, group.where));
    }
  }
}

// Variables of the controller that the command refers to. Others are not needed: the framework has its own.
void add_referred(PodGroup& group) {
  for (const YamlNode& word : group.command) {
    for (const std::string& name : references_in(word.text)) {
      const auto found = group.added.find(name);
      const bool has_value = child(&group.env, name) != nullptr;
      if (found != group.added.end() && !found->second.empty() && !has_value)
        group.templates.emplace(name, found->second);
    }
  }
}

// spec.replicatedJobs[NAME].template of the job's JobSet.
void add_patch(YamlNode& job, PodGroup& group) {
  if (group.patch.entries.empty() && group.job_patch.entries.empty()) return;
  const SourceRange& where = group.where;
  YamlNode& jobs =
      list_at(map_at(map_at(map_at(job, "kubernetes", where), "patch", where), "spec", where), "replicatedJobs", where);
  YamlNode& of_group = jobs.items.emplace_back(map_node(where));
  put(of_group, "name", text_node(group.name, where));
  YamlNode& of_job = put(of_group, "template", std::move(group.job_patch));
  if (!group.patch.entries.empty()) put(map_at(of_job, "spec", where), "template", std::move(group.patch));
}

uint64_t workers_of(const GroupSize& size) {
  return size.workers ? std::max<uint64_t>(1, number_in(&*size.workers).value_or(1)) : 1;
}

// A rank has GPUs of its own, and in a pod all processes see all of them.
void check_gpus(Reading& reading, const PodGroup& group, const GroupSize& size) {
  const uint64_t workers = workers_of(size);
  if (group.gpus % workers == 0) return;
  const uint64_t next = (group.gpus / workers + 1) * workers;
  reading.error(
      "E1806", size.workers->where,
      "a node has " + count_of(group.gpus, "GPU") + " for " + std::to_string(workers) +
          " processes, and muster gives each process GPUs of its own",
      "ask for " + count_of(next, "GPU") + ", or for a number of processes that divides " + std::to_string(group.gpus));
}

// In a cluster the GPUs of all pods of a job have one name.
void name_gpus(Reading& reading, YamlNode& job, const PodGroup& group) {
  if (!reading.in_cluster()) return;
  for (const YamlNode& name : group.gpu_resources) {
    YamlNode& kubernetes = map_at(job, "kubernetes", group.where);
    const YamlNode* there = child(&kubernetes, "gpu_resource");
    if (there != nullptr && there->text != name.text)
      return reading.error("E1803", name.where,
                           "the job uses GPUs of two kinds, `" + escaped(there->text) + "` and `" + escaped(name.text) +
                               "`, and muster gives all pods of a job GPUs of one kind",
                           "ask for one kind of GPU, or make two jobs of it");
    put(kubernetes, "gpu_resource", name);
  }
}

// The job file refers to values of Secrets; the record of the job does not have them. Returns those values, by variable.
std::map<std::string, std::string> hide_secrets(Reading& reading, PodGroup& group) {
  std::map<std::string, std::string> hidden;
  for (YamlEntry& entry : group.env.entries) {
    if (!group.secrets.contains(entry.key)) continue;
    if (!is_shell_variable(entry.key) || !reading.keep_secret(entry.key, entry.value.text)) {
      note_secret(reading, entry.value.where,
                  "the value of `" + escaped(entry.key) + "` in the pods of `" + escaped(group.name) + "` becomes",
                  "give the variable a name of letters, digits and _ that no other pods use for another value");
      continue;
    }
    hidden.emplace(entry.key, entry.value.text);
    YamlNode reference = map_node(entry.value.where);
    put(reference, "from", text_node(std::string(kSecretOfManifest) + entry.key, entry.value.where));
    entry.value = std::move(reference);
  }
  return hidden;
}

// A command with the value of a Secret gets it from the variable when it starts.
void refer_to_secrets(Reading& reading, PodGroup& group, const std::map<std::string, std::string>& hidden) {
  constexpr size_t kShortest = 4;  // a shorter value may be a part of other words
  if (!group.secret_in_command) return;
  bool all = true;
  for (const std::string& name : group.secrets) {
    const auto value = hidden.find(name);
    const bool usable = value != hidden.end() && value->second.size() >= kShortest;
    all = all && usable;
    for (YamlNode& word : group.command) {
      if (usable) refer_to_value(word, name, value->second);
    }
  }
  if (!all)
    note_secret(reading, group.command.front().where, "the command has the value of a Secret, which becomes",
                "read the variable in the program");
}

// A rank reserves whole CPUs.
void add_cpus(Reading& reading, YamlNode& worker, const PodGroup& group, uint64_t workers) {
  const uint64_t cpus = whole(group.cpus) / workers;
  if (cpus > 0) put(worker, "cpus", plain_node(std::to_string(cpus), group.where));
  if (reading.in_cluster() || static_cast<double>(cpus * workers) == group.cpus) return;
  const std::string effect =
      cpus == 0 ? "has no effect here" : "becomes " + count_of(cpus, "CPU") + " for each process";
  const std::string processes =
      workers == 1 ? "each process" : "each of the " + std::to_string(workers) + " processes of a node";
  reading.note(group.cpus_written.where,
               group.cpus_written.text + " " + effect + ": muster reserves whole CPUs for " + processes);
}

}  // namespace

PodGroup read_pod(Reading& reading, YamlNode& job, const YamlNode& pod_template, const std::string& name,
                  const std::vector<std::string_view>& containers, const AddedVariables& added) {
  PodGroup group;
  group.name = name;
  group.added = added;
  group.where = pod_template.where;
  group.env = map_node(pod_template.where);
  group.pods = map_node(pod_template.where);
  group.patch = map_node(pod_template.where);
  group.job_patch = map_node(pod_template.where);
  const YamlNode* container = training_container(reading, pod_template, containers);
  if (container == nullptr) return group;
  group.where = container->where;
  const Variables variables(reading, *container, added);
  group.env = variables.tree(container->where);
  group.secrets = variables.secrets();
  group.templates = variables.templates();
  read_command(reading, *container, variables, group);
  read_resources(reading, *container, group);
  check_mounts(reading, pod_template, *container);
  read_stop_time(pod_template, job);
  if (reading.in_cluster()) read_cluster_pod(job, pod_template, *container, group, variables.passed());
  const YamlNode* image = child(container, "image");
  const std::string& in_image = reading.place().in_image;
  if (!reading.in_cluster() && !in_image.empty()) read_mounts(reading, job, pod_template, *container);
  if (reading.in_cluster() || image == nullptr) return group;
  if (in_image == kImageOfManifest)
    group.image = *image;
  else if (in_image.empty() && !image->where.file.starts_with(kBuiltInPlace))
    reading.note(image->where,
                 "the image is not used here: the command runs in this machine's own environment. With --in-image "
                 "manifest it runs in the image");
  return group;
}

void give_added(PodGroup& group) {
  for (const auto& [name, text] : group.added) {
    if (!text.empty()) group.templates.emplace(name, text);
  }
}

bool reads_pod_name(const PodGroup& group) {
  return std::any_of(group.templates.begin(), group.templates.end(),
                     [](const auto& variable) { return variable.second.find(kPodName) != std::string::npos; });
}

void settle_word(PodGroup& group, std::string_view word, std::string_view by) {
  for (auto& [name, text] : group.templates) text = replace_word(text, word, by);
}

void add_group(Reading& reading, YamlNode& job, PodGroup group, const GroupSize& size) {
  if (group.command.empty()) {
    reading.error("E1806", group.where, "this container has no `command`, and muster does not know that of its image",
                  "write `command` as the image's ENTRYPOINT and CMD have it, or type it: muster run FILE -- PROGRAM");
    return;
  }
  YamlNode tree = map_node(group.where);
  put(tree, "name", text_node(group.name, group.where));
  put(tree, "nodes", size.nodes);
  if (size.workers) put(tree, "workers", *size.workers);
  check_gpus(reading, group, size);
  name_gpus(reading, job, group);
  add_referred(group);
  const uint64_t workers = workers_of(size);
  YamlNode& worker = map_at(tree, "worker", group.where);
  put(worker, "gpus", plain_node(std::to_string(group.gpus / workers), group.where));
  add_cpus(reading, worker, group, workers);
  if (group.memory > 0)
    put(worker, "memory", plain_node(quantity(group.memory / workers / 1024 * 1024) + "B", group.where));
  refer_to_secrets(reading, group, hide_secrets(reading, group));
  YamlNode command = list_node(group.command.front().where);
  command.items = fill_references(std::move(group.command));
  put(tree, "command", std::move(command));
  if (!group.env.entries.empty()) put(tree, "env", std::move(group.env));
  if (group.image) put(tree, "in_image", *group.image);
  if (!group.pods.entries.empty()) put(tree, "kubernetes", std::move(group.pods));
  settle_word(group, kPodName, "${job}-${group}-${group_node}");  // as the operators name pods
  add_templates(reading, job, group, workers);
  add_patch(job, group);
  list_at(job, "groups", group.where).items.push_back(std::move(tree));
}

}  // namespace muster
