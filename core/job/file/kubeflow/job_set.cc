// SPDX-License-Identifier: Apache-2.0
// batch/v1 Job and jobset.x-k8s.io/v1alpha2 JobSet. Their pods learn their index, and nothing else of each other.
#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/kubeflow/failure_policy.h"
#include "core/job/file/kubeflow/first_pod.h"
#include "core/job/file/kubeflow/framework_launch.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/launch_words.h"
#include "core/job/file/kubeflow/pod_cluster.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/readers.h"
#include "core/job/file/kubeflow/replica_specs.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

constexpr std::string_view kJobSetController = "jobset.sigs.k8s.io/jobset-controller";
constexpr const char* kIndexVariable = "JOB_COMPLETION_INDEX";
constexpr const char* kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
const AddedVariables kAdded = {{kIndexVariable, std::string(kCompletionIndex)}};

// The Jobs of one group: `jobs` Jobs with `pods` pods each.
struct JobCounts {
  uint64_t jobs = 1;
  uint64_t pods = 1;
  uint64_t before = 0;       // Jobs of earlier groups
  bool only_single = false;  // each Job up to here has one pod
};

// The pods that a Job runs at the same time. All of them have to, because they train together.
uint64_t pods_of(Reading& reading, const YamlNode& spec) {
  const YamlNode* completions = child(&spec, "completions");
  const auto at_once = count_at_least(reading, child(&spec, "parallelism"), 1, "parallelism");
  const auto all = count_at_least(reading, completions, 1, "completions");
  const uint64_t pods = at_once.value_or(1);
  if (all && *all != pods)
    reading.error("E1803", completions->where,
                  "muster starts all pods of a Job together, and this Job runs " + std::to_string(pods) + " of " +
                      std::to_string(*all) + " at a time",
                  "give `parallelism` and `completions` the same number");
  return pods;
}

// The pods of each Job in groups of several Jobs, if one number N gives the words ${group_node/N} and ${group_node%N}
// the right values in all groups: `custom` has one template for all of them. 0: there is no such group. nullopt: none.
std::optional<uint64_t> pods_of_each_job(const std::vector<JobCounts>& groups) {
  uint64_t pods = 0;
  for (const JobCounts& each : groups) {
    if (each.jobs == 1) continue;
    if (pods != 0 && pods != each.pods) return std::nullopt;
    pods = each.pods;
  }
  const bool fits =
      std::all_of(groups.begin(), groups.end(), [&](const JobCounts& each) { return pods == 0 || each.pods <= pods; });
  return fits ? std::optional(pods) : std::nullopt;
}

// The words for the index of the Job in its group, and of the pod in its Job. `pods`: more than 1.
std::string job_word(uint64_t pods) { return "${group_node/" + std::to_string(pods) + "}"; }
std::string pod_word(uint64_t pods) { return "${group_node%" + std::to_string(pods) + "}"; }

// The index of the Job among all Jobs of the JobSet, as words of `custom`; empty: there are none for it. `pods`: as in
// settle_indexes().
std::string global_index(const JobCounts& counts, uint64_t pods) {
  if (counts.jobs == 1) return std::to_string(counts.before);
  if (counts.only_single) return "${node}";  // each pod is a node
  return pods > 1 && counts.before == 0 ? job_word(pods) : "";
}

// `custom` is for all groups, so a value that is the same in all pods of this group is in its `env`.
void set_constants(PodGroup& group) {
  std::erase_if(group.templates, [&](const auto& variable) {
    const auto& [name, text] = variable;
    const bool constant = text.find('$') == std::string::npos;
    if (constant) put(group.env, name, text_node(text, group.where));
    return constant;
  });
}

void report_index(Reading& reading, const PodGroup& group, const std::string& name, bool two_levels) {
  if (two_levels)
    return reading.error("E1803", group.where,
                         "`" + escaped(name) + "` is an index in a group of several Jobs with several pods each, and " +
                             "other groups have another number of pods",
                         "give the Jobs of all groups as many pods (parallelism)");
  reading.error("E1803", group.where,
                "`" + escaped(name) + "` counts the Jobs of all groups, and an earlier Job has several pods",
                "put this replicated job before those with several pods, or use job-index");
}

// Indexes that the pods of the group have, as words of `custom`. `pods`: in each Job of groups of several Jobs; 0: the
// groups differ, or there is none.
void settle_indexes(Reading& reading, PodGroup& group, const JobCounts& counts, uint64_t pods) {
  const bool unknown = counts.jobs > 1 && counts.pods > 1 && pods == 0;
  const std::string of_pod = pods > 1 ? pod_word(pods) : "${group_node}";
  const std::string completion = counts.jobs > 1 && counts.pods == 1 ? "0" : of_pod;
  const std::string job = counts.jobs == 1 ? "0" : pods > 1 ? job_word(pods) : "${group_node}";
  const std::string of_all = global_index(counts, pods);
  if (group.added.contains(kIndexVariable) && child(&group.env, kIndexVariable) == nullptr)
    group.templates.emplace(kIndexVariable, completion);
  for (auto& [name, text] : group.templates) {
    const std::string before = text;
    text = replace_word(text, kCompletionIndex, completion);
    text = replace_word(text, kJobIndex, job);
    const bool global = text.find(kGlobalJobIndex) != std::string::npos;
    text = replace_word(text, kGlobalJobIndex, of_all);
    if ((unknown && text != before) || (global && of_all.empty())) report_index(reading, group, name, unknown);
  }
  set_constants(group);
  if (unknown)
    reading.note(group.where,
                 std::string("`") + kIndexVariable + "` counts the pods of all Jobs of `" + escaped(group.name) + "`");
}

// Pods of a Job end, so they do not always restart.
void check_restart_policy(Reading& reading, const YamlNode& spec) {
  const YamlNode* policy = find(&spec, {"template", "spec", "restartPolicy"});
  if (policy == nullptr || is_empty(*policy) || policy->text == "Never" || policy->text == "OnFailure") return;
  reading.error("E1802", policy->where, "`" + escaped(policy->text) + "` is no restartPolicy for the pods of a Job",
                "write Never or OnFailure; Kubernetes would reject it too",
                nearest(policy->text, {"Never", "OnFailure"}).value_or(""));
}

struct JobGroup {
  PodGroup pod;
  JobCounts counts;
  SourceRange where;
};

// Whether muster can start the processes of all groups as ranks of torch: each command is torchrun, and its pods train
// together. Without --nnodes, torchrun in each pod trains alone.
bool start_torch_ranks(Reading& reading, const std::vector<JobGroup>& groups) {
  uint64_t pods = 0;
  for (const JobGroup& each : groups) pods += each.counts.jobs * each.counts.pods;
  bool together = true;
  bool all = true;
  for (const JobGroup& each : groups) {
    const auto launch = torchrun_launch(without_shell(each.pod.command), reading.place().python);
    all &= launch.has_value();
    together &= !launch || pods == 1 || launch->flags.contains("nnodes");
  }
  if (all && !together)
    reading.note(groups.front().where, "torchrun without --nnodes trains in each pod alone, as in Kubernetes");
  return all && together;
}

// As JobSet names pods, without the random end.
void settle_pod_names(Reading& reading, std::vector<JobGroup>& groups) {
  std::vector<JobCounts> readers;
  for (const JobGroup& each : groups) {
    if (reads_pod_name(each.pod)) readers.push_back(each.counts);
  }
  const auto pods = pods_of_each_job(readers);
  const std::string index = !pods        ? "${group_node}"
                            : *pods == 0 ? "0-${group_node}"
                            : *pods == 1 ? "${group_node}-0"
                                         : job_word(*pods) + "-" + pod_word(*pods);
  for (JobGroup& each : groups) {
    if (reads_pod_name(each.pod) && !pods)
      reading.note(each.pod.where,
                   "`metadata.name` is NAME-GROUP-INDEX here, and INDEX counts the pods of all Jobs of the group");
    settle_word(each.pod, kPodName, "${job}-${group}-" + index);
  }
}

// All groups have one framework. If muster cannot see the ranks of one of them, each command runs as in its pod.
void add_job_groups(Reading& reading, YamlNode& job, std::vector<JobGroup> groups) {
  const bool as_ranks = start_torch_ranks(reading, groups);
  settle_pod_names(reading, groups);
  std::vector<JobCounts> counts;
  for (const JobGroup& each : groups) counts.push_back(each.counts);
  const uint64_t pods = pods_of_each_job(counts).value_or(0);
  uint64_t nodes = 0;
  for (const JobGroup& each : groups) nodes += each.counts.jobs * each.counts.pods;
  for (JobGroup& each : groups) {
    GroupSize size{plain_node(std::to_string(each.counts.jobs * each.counts.pods), each.where), std::nullopt};
    settle_indexes(reading, each.pod, each.counts, pods);
    if (as_ranks) {
      // As torchrun, which reads this variable as its flag.
      const YamlNode* number = child(&each.pod.env, "PET_NPROC_PER_NODE");
      const YamlNode asked = number == nullptr ? plain_node("1", each.pod.where) : *number;
      std::erase_if(each.pod.env.entries, [](const YamlEntry& entry) { return entry.key == "PET_NPROC_PER_NODE"; });
      const NodeProcesses processes{.asked = asked, .nodes_of_job = nodes};
      launch_torch(reading, job, each.pod, size, processes);
    } else {
      put(job, "framework", text_node("custom", each.where));
    }
    add_group(reading, job, std::move(each.pod), size);
  }
}

// Whether the Jobs of the group have one rank each.
bool has_single_ranks(const YamlNode& group, uint64_t pods_of_job) {
  return pods_of_job == 1 && number_in(child(&group, "workers")).value_or(1) == 1;
}

// A Job that waits for the end of another one needs what that one prepares, and the ranks of all groups start together.
void check_order(Reading& reading, const YamlNode& replicated) {
  const YamlNode* others = child(&replicated, "dependsOn");
  for (size_t at = 0; others != nullptr && at < others->items.size(); ++at) {
    const YamlNode* status = child(&others->items[at], "status");
    if (text_of(status) == "Complete")
      reading.error("E1803", status->where,
                    "`" + escaped(text_of(child(&replicated, "name"))) + "` waits until `" +
                        escaped(text_of(child(&others->items[at], "name"))) +
                        "` is complete, and muster starts all groups together",
                    "run the earlier Job as a job of its own, or put its command into `setup` of a job file");
  }
}

// With Any, `success: any` of the Jobs that count. One Job has succeeded when all its ranks have.
void read_any_job(Reading& reading, YamlNode& group, const std::vector<JobCounts>& counts, size_t at,
                  const SourceRange& where) {
  if (counts[at].jobs == 1) return;
  if (!has_single_ranks(group, counts[at].pods))
    return reading.error("E1803", where,
                         "muster cannot wait for one of several Jobs, because a Job here has several ranks",
                         "give each Job one pod with one process (parallelism: 1), or use All");
  put(group, "success", text_node("any", where));
}

void read_success_policy(Reading& reading, YamlNode& job, const YamlNode* policy,
                         const std::vector<JobCounts>& counts) {
  const YamlNode* targets = child(policy, "targetReplicatedJobs");
  YamlNode* groups = child(&job, "groups");
  const bool any = text_of(child(policy, "operator")) == "Any";
  if (groups == nullptr || policy == nullptr || groups->items.size() != counts.size()) return;
  if (any && groups->items.size() != 1 && (targets == nullptr || targets->items.size() != 1))
    return reading.error("E1803", policy->where, "muster knows success of any pod of one group, and these are several",
                         "name one replicated job in targetReplicatedJobs, or use All");
  for (size_t at = 0; targets != nullptr && at < targets->items.size(); ++at) {
    if (named(groups, targets->items[at].text) == nullptr)
      return reading.error("E1806", targets->items[at].where,
                           "there is no replicated job `" + escaped(targets->items[at].text) + "`",
                           "write a name from spec.replicatedJobs");
  }
  for (size_t at = 0; at < groups->items.size(); ++at) {
    YamlNode& group = groups->items[at];
    const std::string name = text_of(child(&group, "name"));
    const bool awaited = targets == nullptr || targets->items.empty() ||
                         std::any_of(targets->items.begin(), targets->items.end(),
                                     [&](const YamlNode& each) { return each.text == name; });
    if (!awaited) put(group, "success", text_node("background", policy->where));
    if (awaited && any) read_any_job(reading, group, counts, at, policy->where);
  }
}

}  // namespace

void read_indexed_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  const YamlNode* spec = child(&document, "spec");
  if (spec == nullptr || child(spec, "template") == nullptr)
    return reading.error("E1806", document.where, "this Job has no pod", "add spec.template");
  read_limits(reading, job, spec);
  check_manager(reading, spec, kJobController);
  read_restarts(reading, job, child(spec, "backoffLimit"), "backoffLimit");
  check_restart_policy(reading, *spec);
  read_pod_failure_policy(reading, job, *spec);
  const JobCounts counts{1, pods_of(reading, *spec)};
  const bool indexed = text_of(child(spec, "completionMode")) == "Indexed";
  PodGroup group = read_pod(reading, job, *child(spec, "template"), "worker", {}, indexed ? kAdded : AddedVariables());
  settle_word(group, kPodName, "${job}-${group_node}");
  add_job_groups(reading, job, {{std::move(group), counts, spec->where}});
}

// muster limits the time of the whole job. A Job that misses its deadline fails the JobSet too.
void check_deadlines(Reading& reading, const YamlNode& jobs, bool restarts) {
  const auto deadline_of = [](const YamlNode& each) {
    return child(find(&each, {"template", "spec"}), "activeDeadlineSeconds");
  };
  const YamlNode* first = nullptr;
  std::string owner;
  bool same = true;
  for (const YamlNode& each : jobs.items) {
    const YamlNode* deadline = deadline_of(each);
    same &= text_of(deadline) == text_of(deadline_of(jobs.items.front()));
    if (first != nullptr || deadline == nullptr) continue;
    first = deadline;
    owner = text_of(child(&each, "name"));
  }
  if (first == nullptr) return;
  if (!same)
    return reading.note(first->where, "`activeDeadlineSeconds` of the Jobs of `" + escaped(owner) +
                                          "` limits the whole job, also after they have ended");
  if (restarts)
    reading.note(first->where,
                 "`activeDeadlineSeconds` limits the whole job with its restarts, and in Kubernetes each of them");
}

// The ranks of all groups restart together, so the largest limit is that of all.
void note_largest_backoff(Reading& reading, const YamlNode& jobs) {
  const YamlNode* largest = nullptr;
  std::string owner;
  bool same = true;
  for (const YamlNode& each : jobs.items) {
    const YamlNode* limit = find(&each, {"template", "spec", "backoffLimit"});
    same &= text_of(limit) == text_of(find(&jobs.items.front(), {"template", "spec", "backoffLimit"}));
    if (number_in(limit).value_or(0) <= number_in(largest).value_or(0)) continue;
    largest = limit;
    owner = text_of(child(&each, "name"));
  }
  if (!same && largest != nullptr)
    reading.note(largest->where, "`backoffLimit: " + escaped(largest->text) + "` of `" + escaped(owner) +
                                     "` is the limit of all groups, because their ranks restart together");
}

// muster makes one Job of all Jobs of a group. With this annotation JobSet would put them into one domain together.
void leave_out_exclusive_placement(Reading& reading, PodGroup& group) {
  YamlNode* metadata = child(&group.job_patch, "metadata");
  YamlNode* annotations = child(metadata, "annotations");
  if (annotations == nullptr) return;
  std::erase_if(annotations->entries, [&](const YamlEntry& each) {
    if (each.key != kExclusive) return false;
    reading.note(each.key_where, std::string("`") + kExclusive +
                                     "` has no effect, because muster makes one Job of all Jobs of `" +
                                     escaped(group.name) + "`");
    return true;
  });
}

void read_job_set(Reading& reading, YamlNode& job, const YamlNode& document) {
  const YamlNode* spec = child(&document, "spec");
  const YamlNode* jobs = child(spec, "replicatedJobs");
  if (jobs == nullptr || jobs->items.empty())
    return reading.error("E1806", document.where, "this JobSet has no Jobs", "add spec.replicatedJobs");
  read_limits(reading, job, spec);
  check_manager(reading, spec, kJobSetController);
  const YamlNode* restarts = find(spec, {"failurePolicy", "maxRestarts"});
  read_restarts(reading, job, restarts, "maxRestarts");
  check_deadlines(reading, *jobs, number_in(restarts).value_or(0) > 0);
  note_largest_backoff(reading, *jobs);
  for (const YamlNode& each : jobs->items)
    read_failure_policy(reading, job, *spec, each, text_of(child(&each, "name")));
  const std::string name = text_of(find(&document, {"metadata", "name"}));
  const std::string subdomain = text_of(find(spec, {"network", "subdomain"}));
  const std::string first = text_of(child(&jobs->items.front(), "name"));
  const FirstPod first_pod{name + "-" + first + "-0-0", subdomain.empty() ? name : subdomain, reading.name_space()};
  if (jobs->items.size() > 1) put(job, "world", text_node("shared", jobs->where));
  JobCounts counts{.only_single = true};
  std::vector<JobGroup> groups;
  std::vector<JobCounts> all_counts;
  for (const YamlNode& each : jobs->items) {
    const YamlNode* of_job = find(&each, {"template", "spec"});
    if (of_job == nullptr || child(of_job, "template") == nullptr) {
      reading.error("E1806", each.where, "this replicated job has no pod", "add template.spec.template");
      continue;
    }
    check_order(reading, each);
    check_restart_policy(reading, *of_job);
    read_limits_of_job(reading, job, of_job);
    read_restarts(reading, job, child(of_job, "backoffLimit"), "backoffLimit");
    counts.jobs = count_at_least(reading, child(&each, "replicas"), 1, "replicas").value_or(1);
    counts.pods = pods_of(reading, *of_job);
    counts.only_single &= counts.pods == 1;
    PodGroup group = read_pod(reading, job, *child(of_job, "template"), text_of(child(&each, "name")), {}, kAdded);
    if (reading.in_cluster()) {
      read_cluster_job(*child(&each, "template"), group);
      if (counts.jobs > 1) leave_out_exclusive_placement(reading, group);
    }
    if (!name.empty()) replace_host_name(reading, group, first_pod);
    for (const YamlNode& other : jobs->items)
      note_other_pods(reading, group, {name + "-" + text_of(child(&other, "name")) + "-"});
    groups.push_back({std::move(group), counts, each.where});
    all_counts.push_back(counts);
    counts.before += counts.jobs;
  }
  add_job_groups(reading, job, std::move(groups));
  read_success_policy(reading, job, child(spec, "successPolicy"), all_counts);
}

}  // namespace muster
