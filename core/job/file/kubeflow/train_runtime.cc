// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/train_runtime.h"

#include <array>
#include <utility>

#include "core/base/text.h"
#include "core/job/errors/explain.h"
#include "core/job/file/kubeflow/built_in_runtimes.h"
#include "core/job/file/kubeflow/field_check.h"
#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kStep = "trainer.kubeflow.org/trainjob-ancestor-step";

void report_unknown(Reading& reading, const YamlNode& name) {
  std::vector<std::string> known = reading.place().registered_names;
  for (const BuiltInRuntime& each : built_in_runtimes()) known.emplace_back(each.name);
  for (const YamlNode& each : reading.documents()) {
    if (text_of(child(&each, "kind")).ends_with(kNamespacedRuntime))  // both kinds
      known.push_back(text_of(find(&each, {"metadata", "name"})));
  }
  const std::string why(missing_runtime(name.text));
  reading.error(
      "E1805", name.where, "there is no runtime `" + escaped(name.text) + "`",
      why.empty() ? "put it beside the job, or register it: muster apply -f FILE; muster runtimes lists all" : why,
      nearest(name.text, known).value_or(""));
}

// The kind, and the namespace to which a TrainingRuntime belongs.
RuntimeReference reference_of(const YamlNode& train_job, const YamlNode& name) {
  const std::string kind = text_of(find(&train_job, {"spec", "runtimeRef", "kind"}));
  return {kind.empty() ? std::string(kClusterRuntime) : kind, name.text,
          text_of(find(&train_job, {"metadata", "namespace"}))};
}

YamlNode* replicated_jobs(YamlNode& runtime) {
  YamlNode* node = &runtime;
  for (const char* key : {"spec", "template", "spec", "replicatedJobs"}) node = child(node, key);
  return node;
}

// Removes what the API server has added, which would only give notes.
void remove_additions(YamlNode& runtime, const std::string& name) {
  YamlNode metadata = map_node(runtime.where);
  put(metadata, "name", text_node(name, runtime.where));
  put(runtime, "metadata", std::move(metadata));
  YamlNode* jobs = replicated_jobs(runtime);
  for (size_t at = 0; jobs != nullptr && at < jobs->items.size(); ++at)
    std::erase_if(jobs->items[at].entries,
                  [](const YamlEntry& each) { return each.key == "groupName" && each.value.text == "default"; });
}

std::optional<YamlNode> read_found(Reading& reading, const SourceText& source, const YamlNode& name) {
  YamlDocument read = load_yaml(source.text, source.file);
  if (read.problem) {
    reading.error("E1805", name.where, "muster cannot read the runtime `" + escaped(name.text) + "` of the cluster",
                  read.problem->message);
    return std::nullopt;
  }
  remove_additions(read.root, name.text);
  check_fields(reading, training_runtime_fields(), read.root);
  return std::move(read.root);
}

// The error has the code of its cause: the API server does not answer, a right is missing, there is no kubectl.
void report_silence(Reading& reading, const YamlNode& name, const Status& why) {
  const MessageParts parts = message_parts(why.message());
  reading.error(parts.code.empty() ? "E1805" : parts.code.c_str(), name.where,
                "cannot ask the cluster for the runtime `" + escaped(name.text) + "`: " + parts.sentence, parts.fix);
}

// "in the namespace `team`"; a ClusterTrainingRuntime is in none.
std::string in_space(const std::string& kind, const std::string& name_space) {
  if (kind != kNamespacedRuntime) return "";
  return name_space.empty() ? " in the namespace of kubectl's context"
                            : " in the namespace `" + escaped(name_space) + "`";
}

void report_missing(Reading& reading, const RuntimeReference& wanted, const YamlNode& name, const FoundRuntime& found) {
  std::vector<std::string> list{"muster", "runtimes", "--cluster-runtimes"};
  if (!found.context.empty()) list.insert(list.end(), {"--context", found.context});
  if (!found.name_space.empty()) list.insert(list.end(), {"--namespace", found.name_space});
  std::string help = found.names.empty() ? "it has none of this kind" : "it has " + short_list(found.names, 8);
  if (!found.other_kind.empty())
    help = "there is a " + found.other_kind + " of this name" + in_space(found.other_kind, found.name_space) +
           "; write it as runtimeRef.kind";
  reading.error(
      "E1805", name.where,
      "the cluster has no " + wanted.kind + " `" + escaped(name.text) + "`" + in_space(wanted.kind, found.name_space),
      help + "; " + shell_line(list) + " lists all", nearest(name.text, found.names).value_or(""));
}

std::optional<YamlNode> runtime_of_cluster(Reading& reading, const YamlNode& train_job, const YamlNode& name) {
  const RuntimeReference wanted = reference_of(train_job, name);
  if (wanted.kind != kClusterRuntime && wanted.kind != kNamespacedRuntime) {
    reading.error("E1802", find(&train_job, {"spec", "runtimeRef", "kind"})->where,
                  "`" + escaped(wanted.kind) + "` is no kind of runtime",
                  "write " + std::string(kClusterRuntime) + " or " + std::string(kNamespacedRuntime));
    return std::nullopt;
  }
  const auto found = reading.place().cluster_runtimes(wanted);
  if (!found.ok()) {
    report_silence(reading, name, found.status());
    return std::nullopt;
  }
  if (found->source) return read_found(reading, *found->source, name);
  report_missing(reading, wanted, name, *found);
  return std::nullopt;
}

YamlNode* pod_of(YamlNode* replicated) {
  for (const char* key : {"template", "spec", "template"}) replicated = child(replicated, key);
  return replicated;
}

// `env` is laid over by name, resources key by key, and the rest replaces.
void lay_trainer(YamlNode& container, const YamlNode& trainer) {
  for (const char* key : {"image", "command", "args"}) {
    if (const YamlNode* value = child(&trainer, key)) put(container, key, *value);
  }
  if (const YamlNode* env = child(&trainer, "env")) {
    YamlNode over = map_node(env->where);
    put(over, "env", *env);
    lay_over(container, over);
  }
  if (const YamlNode* resources = child(&trainer, "resourcesPerNode"))
    lay_over(map_at(container, "resources", resources->where), *resources);
}

std::vector<std::string> names_of_jobs(YamlNode& runtime) {
  std::vector<std::string> names;
  const YamlNode* jobs = replicated_jobs(runtime);
  for (size_t at = 0; jobs != nullptr && at < jobs->items.size(); ++at)
    names.push_back(text_of(child(&jobs->items[at], "name")));
  return names;
}

void lay_patch(Reading& reading, YamlNode& runtime, const YamlNode& patch) {
  const YamlNode* jobs = find(&patch, {"trainingRuntimeSpec", "template", "spec", "replicatedJobs"});
  for (size_t at = 0; jobs != nullptr && at < jobs->items.size(); ++at) {
    const YamlNode* name = child(&jobs->items[at], "name");
    YamlNode* theirs = name == nullptr ? nullptr : replicated_job(runtime, name->text);
    if (theirs == nullptr) {
      const std::vector<std::string> known = names_of_jobs(runtime);
      reading.error("E1806", name == nullptr ? jobs->items[at].where : name->where,
                    "the runtime has no replicated job `" + escaped(text_of(name)) + "`",
                    "it has " + short_list(known, 8), nearest(text_of(name), known).value_or(""));
    } else {
      lay_over(*theirs, jobs->items[at]);
    }
  }
  if (const YamlNode* metadata = find(&patch, {"trainingRuntimeSpec", "template", "metadata"}))
    lay_over(map_at(map_at(map_at(runtime, "spec", metadata->where), "template", metadata->where), "metadata",
                    metadata->where),
             *metadata);
}

}  // namespace

std::optional<YamlNode> find_runtime(Reading& reading, const YamlNode& train_job) {
  const YamlNode* name = find(&train_job, {"spec", "runtimeRef", "name"});
  if (name == nullptr || name->text.empty()) {
    reading.error("E1806", train_job.where, "this TrainJob names no runtime", "add spec.runtimeRef.name");
    return std::nullopt;
  }
  std::array kinds{kClusterRuntime, kNamespacedRuntime};
  if (text_of(find(&train_job, {"spec", "runtimeRef", "kind"})) == kNamespacedRuntime) std::swap(kinds[0], kinds[1]);
  for (const std::string_view kind : kinds) {
    const YamlNode* beside = reading.document(kind, name->text);
    if (beside == nullptr) continue;
    if (const YamlNode* second = reading.document(kind, name->text, 1)) {
      reading.error("E1802", second->where, "there is another " + std::string(kind) + " `" + escaped(name->text) + "`",
                    "remove one of the two, or give it another name");
      return std::nullopt;
    }
    check_fields(reading, training_runtime_fields(), *beside);
    return *beside;
  }
  if (reading.place().cluster_runtimes) return runtime_of_cluster(reading, train_job, *name);
  if (reading.place().registered) {
    if (auto found = reading.place().registered(name->text)) {
      check_fields(reading, training_runtime_fields(), *found);
      return found;
    }
  }
  if (const YamlNode* built_in = built_in_runtime(name->text)) return *built_in;
  report_unknown(reading, *name);
  return std::nullopt;
}

YamlNode* replicated_job(YamlNode& runtime, std::string_view name) { return named(replicated_jobs(runtime), name); }

YamlNode* training_job(YamlNode& runtime) {
  YamlNode* jobs = replicated_jobs(runtime);
  if (jobs == nullptr || jobs->items.empty()) return nullptr;
  for (YamlNode& job : jobs->items) {
    for (const YamlNode* labels :
         {find(&job, {"template", "metadata", "labels"}), find(&job, {"metadata", "labels"})}) {
      if (text_of(child(labels, kStep)) == "trainer") return &job;
    }
  }
  if (YamlNode* node = named(jobs, "node")) return node;
  return jobs->items.size() == 1 ? &jobs->items.front() : nullptr;
}

void lay_job_over(Reading& reading, YamlNode& runtime, const YamlNode& train_job) {
  YamlNode* pod = pod_of(training_job(runtime));
  const YamlNode* trainer = find(&train_job, {"spec", "trainer"});
  YamlNode* containers = pod == nullptr ? nullptr : child(child(pod, "spec"), "containers");
  if (containers != nullptr && !containers->items.empty() && trainer != nullptr) {
    YamlNode* node = named(containers, "node");
    lay_trainer(node == nullptr ? containers->items.front() : *node, *trainer);
  }
  const YamlNode* patches = find(&train_job, {"spec", "runtimePatches"});
  for (size_t at = 0; patches != nullptr && at < patches->items.size(); ++at)
    lay_patch(reading, runtime, patches->items[at]);
}

}  // namespace muster
