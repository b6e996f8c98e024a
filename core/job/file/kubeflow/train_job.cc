// SPDX-License-Identifier: Apache-2.0
// trainer.kubeflow.org/v1alpha1 TrainJob.
#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/kubeflow/failure_policy.h"
#include "core/job/file/kubeflow/first_pod.h"
#include "core/job/file/kubeflow/framework_launch.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/pod_cluster.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/readers.h"
#include "core/job/file/kubeflow/train_runtime.h"
#include "core/job/file/kubeflow/trainer/torch_policy.h"
#include "core/job/file/kubeflow/tree/kubernetes_values.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

constexpr std::string_view kTrainJobController = "trainer.kubeflow.org/trainjob-controller";
constexpr const char* kGroup = "node";
constexpr std::string_view kVolcanoQueue = "scheduling.volcano.sh/queue-name";
constexpr const char* kPolicies[] = {"torch", "mpi", "jax", "xgboost"};

struct Policy {
  std::string framework;  // empty: none
  const YamlNode* tree = nullptr;
};

Policy policy_of(Reading& reading, const YamlNode* ml_policy) {
  Policy policy;
  for (const char* name : kPolicies) {
    const YamlNode* tree = child(ml_policy, name);
    if (tree == nullptr) continue;
    if (!policy.framework.empty())
      reading.error("E1802", tree->where, "`mlPolicy` has both `" + policy.framework + "` and `" + name + "`",
                    "keep one of them");
    policy = {name, tree};
  }
  return policy;
}

// spec.trainer.numNodes, else that of the runtime, else 1.
YamlNode nodes_of(Reading& reading, const YamlNode& document, const YamlNode* ml_policy) {
  const YamlNode* own = find(&document, {"spec", "trainer", "numNodes"});
  const YamlNode* node = own != nullptr ? own : child(ml_policy, "numNodes");
  const auto count = count_at_least(reading, node, 1, "numNodes");
  return plain_node(std::to_string(count.value_or(1)), node == nullptr ? document.where : node->where);
}

NodeProcesses processes_of(const YamlNode& document, const Policy& policy) {
  NodeProcesses processes;
  const YamlNode* own = find(&document, {"spec", "trainer", "numProcPerNode"});
  const YamlNode* of_runtime = child(policy.tree, "numProcPerNode");
  // The default of this field in Trainer is 1, so Trainer takes 1 for no number.
  if (policy.framework == "mpi" && text_of(of_runtime) == "1") of_runtime = nullptr;
  const YamlNode* node = own != nullptr ? own : of_runtime;
  if (node != nullptr && node->kind == YamlNode::Kind::scalar) processes.asked = *node;
  return processes;
}

// Without a number: one process per GPU, else one.
NodeProcesses per_gpu(const PodGroup& group, NodeProcesses processes) {
  if (!processes.asked && group.gpus > 0) processes.asked = plain_node("gpu", group.where);
  processes.one_without = true;
  return processes;
}

// One process of XGBoost per GPU; one of JAX, which uses all GPUs of its node.
void launch_by_policy(Reading& reading, YamlNode& job, const Policy& policy, PodGroup& group, GroupSize& size,
                      NodeProcesses processes) {
  if (policy.framework == "torch") return launch_torch(reading, job, group, size, processes);
  if (policy.framework == "xgboost") processes = per_gpu(group, processes);
  processes.one_without = true;
  if (policy.framework.empty()) {
    if (processes.asked)
      reading.note(processes.asked->where, "`numProcPerNode` has no effect: the runtime has no mlPolicy that reads it");
    size.workers = plain_node("1", group.where);
    put(job, "framework", text_node("custom", group.where));
    return give_added(group);
  }
  size.workers = settled_processes(reading, group, processes);
  put(job, "framework", text_node(policy.framework, group.where));
  // As under Trainer, rank 0 of an XGBoost program starts the tracker itself.
  if (policy.framework == "xgboost") {
    put(job, "store", text_node("program", group.where));
    reading.note(group.where, "muster starts no tracker of XGBoost: rank 0 does, as under Trainer");
  }
}

const YamlNode* pod_template(const YamlNode* replicated) { return find(replicated, {"template", "spec", "template"}); }

// The variables that Trainer and the Job of each pod add.
AddedVariables added_by(const Policy& policy) {
  AddedVariables added = {{"JOB_COMPLETION_INDEX", std::string(kCompletionIndex)}};
  if (policy.framework == "torch") {
    added = torchrun_variables(kCompletionIndex);
    std::erase_if(added, [](const auto& each) { return !each.first.starts_with("PET_"); });
    added["JOB_COMPLETION_INDEX"] = kCompletionIndex;
  }
  if (policy.framework == "jax")
    for (const char* name : {"JAX_NUM_PROCESSES", "JAX_PROCESS_ID", "JAX_COORDINATOR_ADDRESS"}) added[name] = "";
  if (policy.framework == "xgboost")
    for (const char* name : {"DMLC_TRACKER_URI", "DMLC_TRACKER_PORT", "DMLC_TASK_ID", "DMLC_NUM_WORKER"})
      added[name] = "";
  return added;
}

// The launcher has the command, the image and the resources of the job.
MpiPods read_mpi_pods(Reading& reading, YamlNode& job, const YamlNode& launcher, const YamlNode* node,
                      const AddedVariables& added) {
  MpiPods pods{read_pod(reading, job, *pod_template(&launcher), kGroup, {"node"}, added), std::nullopt, kGroup};
  if (node == nullptr || pod_template(node) == nullptr || node == &launcher) return pods;
  const PodGroup& of_launcher = pods.launcher;
  const PodGroup workers = read_pod(reading, job, *pod_template(node), kGroup, {"node"}, added);
  note_command_of_workers(reading, workers);
  PodGroup joined = join_mpi_pods(of_launcher, workers, true);
  for (const char* key : {"image", "pull_policy", "pull_secrets"})
    if (const YamlNode* value = child(&of_launcher.pods, key)) put(joined.pods, key, *value);
  if (of_launcher.image) joined.image = of_launcher.image;
  pods.workers = std::move(joined);
  return pods;
}

void launch_mpi_policy(Reading& reading, YamlNode& job, const Policy& policy, MpiPods pods, const YamlNode& nodes,
                       NodeProcesses processes) {
  const PodGroup& sized = pods.workers ? *pods.workers : pods.launcher;
  MpiSize size;
  size.where = nodes.where;
  const YamlNode slots = settled_processes(reading, sized, per_gpu(sized, processes));
  size.slots = number_in(&slots).value_or(1);
  size.launcher_works = !pods.workers || is_true(child(policy.tree, "runLauncherAsNode"));
  size.workers = number_in(&nodes).value_or(1) - (size.launcher_works ? 1 : 0);
  if (!pods.workers) pods.workers = pods.launcher;
  launch_mpi_pods(reading, job, std::move(pods), size);
}

// Reads the labels and annotations of the replicated job of a pod.
void read_job_for_cluster(Reading& reading, const YamlNode& replicated, PodGroup& group) {
  const YamlNode* of_job = child(&replicated, "template");
  if (reading.in_cluster() && of_job != nullptr) read_cluster_job(*of_job, group);
}

void read_job_set_settings(Reading& reading, YamlNode& job, const YamlNode& runtime, const YamlNode& training) {
  read_restarts(reading, job, find(&runtime, {"spec", "template", "spec", "failurePolicy", "maxRestarts"}),
                "maxRestarts");
  read_restarts(reading, job, find(&training, {"template", "spec", "backoffLimit"}), "backoffLimit");
  if (const YamlNode* set = find(&runtime, {"spec", "template", "spec"}))
    read_failure_policy(reading, job, *set, training, kGroup);
  read_limits(reading, job, find(&runtime, {"spec", "template", "spec"}));
  read_limits_of_job(reading, job, find(&training, {"template", "spec"}));
  add_labels(reading, job, find(&runtime, {"spec", "template", "metadata", "labels"}));
  add_annotations(reading, job, find(&runtime, {"spec", "template", "metadata", "annotations"}));
}

// After the annotations of the job are known.
void read_gang(const Reading& reading, YamlNode& job, const YamlNode& runtime) {
  const YamlNode* gang = find(&runtime, {"spec", "podGroupPolicy"});
  if (gang == nullptr || !reading.in_cluster()) return;
  for (const char* scheduler : {"coscheduling", "volcano"}) {
    if (const YamlNode* there = child(gang, scheduler))
      put(map_at(job, "kubernetes", there->where), "gang", text_node(scheduler, there->where));
  }
  if (child(gang, "volcano") == nullptr) return;
  YamlNode& kubernetes = map_at(job, "kubernetes", gang->where);
  std::erase_if(kubernetes.entries, [](const YamlEntry& each) { return each.key == "queue"; });  // of Kueue's label
  if (const YamlNode* queue = find(&kubernetes, {"annotations", kVolcanoQueue}))
    put(kubernetes, "queue", YamlNode(*queue));
}

// Jobs of the runtime beside the training are initializers, which muster does not have.
void report_other_jobs(Reading& reading, YamlNode& runtime, const YamlNode* training, const Policy& policy) {
  const YamlNode* jobs = find(&runtime, {"spec", "template", "spec", "replicatedJobs"});
  for (size_t at = 0; jobs != nullptr && at < jobs->items.size(); ++at) {
    const YamlNode& each = jobs->items[at];
    const std::string name = text_of(child(&each, "name"));
    const bool of_mpi = policy.framework == "mpi" && (name == "launcher" || name == "node");
    if (&each == training || of_mpi) continue;
    reading.note(each.where, "the replicated job `" + escaped(name) +
                                 "` of the runtime is not run: muster runs the training; fetch data and models before");
  }
}

// `replicated`: the name of the replicated job of the training.
void find_first_pod(Reading& reading, const YamlNode& document, const YamlNode& runtime, const std::string& replicated,
                    PodGroup& group) {
  const std::string name = text_of(find(&document, {"metadata", "name"}));
  const std::string subdomain = text_of(find(&runtime, {"spec", "template", "spec", "network", "subdomain"}));
  if (name.empty()) return;
  const std::string pods = name + "-" + replicated + "-";
  replace_host_name(reading, group, {pods + "0-0", subdomain.empty() ? name : subdomain, reading.name_space()});
  note_other_pods(reading, group, {pods});
}

// False after reporting that the reference cannot be one to a runtime.
bool check_runtime_ref(Reading& reading, const YamlNode& document) {
  constexpr std::string_view kGroupOfApi = "trainer.kubeflow.org";
  const YamlNode* kind = find(&document, {"spec", "runtimeRef", "kind"});
  const YamlNode* group = find(&document, {"spec", "runtimeRef", "apiGroup"});
  const std::string named = text_of(kind);
  const bool right = named.empty() || named == "TrainingRuntime" || named == "ClusterTrainingRuntime";
  if (!right)
    reading.error("E1802", kind->where, "`" + escaped(named) + "` is no kind of runtime",
                  "write ClusterTrainingRuntime or TrainingRuntime",
                  nearest(named, {"ClusterTrainingRuntime", "TrainingRuntime"}).value_or(""));
  const bool ours = text_of(group).empty() || text_of(group) == kGroupOfApi;
  if (!ours)
    reading.error("E1802", group->where, "`" + escaped(text_of(group)) + "` is not the API group of runtimes",
                  "leave apiGroup out, or write " + std::string(kGroupOfApi));
  return right && ours;
}

}  // namespace

void read_train_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  const YamlNode* spec = child(&document, "spec");
  read_limits(reading, job, spec);
  check_manager(reading, spec, kTrainJobController);
  if (!check_runtime_ref(reading, document)) return;
  auto runtime = find_runtime(reading, document);
  if (!runtime) return;
  settle_values(*runtime);
  lay_job_over(reading, *runtime, document);
  const YamlNode* ml_policy = find(&*runtime, {"spec", "mlPolicy"});
  const Policy policy = policy_of(reading, ml_policy);
  YamlNode* training = training_job(*runtime);
  if (training == nullptr || pod_template(training) == nullptr) {
    reading.error("E1806", runtime->where, "this runtime has no replicated job for the training",
                  "add the label trainer.kubeflow.org/trainjob-ancestor-step: trainer to the template of one");
    return;
  }
  read_job_set_settings(reading, job, *runtime, *training);
  add_labels(reading, job, child(spec, "labels"));
  add_annotations(reading, job, child(spec, "annotations"));
  read_gang(reading, job, *runtime);
  report_other_jobs(reading, *runtime, training, policy);
  const YamlNode nodes = nodes_of(reading, document, ml_policy);
  const NodeProcesses processes = processes_of(document, policy);
  const std::string first = text_of(child(training, "name"));
  if (policy.framework == "mpi") {
    const YamlNode* worker_job = replicated_job(*runtime, "node");
    MpiPods pods = read_mpi_pods(reading, job, *training, worker_job, added_by(policy));
    for (PodGroup* pod : {&pods.launcher, pods.workers ? &*pods.workers : &pods.launcher})
      settle_word(*pod, kPodName, "${job}-${group}-0-${group_node}");
    if (worker_job != nullptr) read_limits_of_job(reading, job, find(worker_job, {"template", "spec"}));
    read_job_for_cluster(reading, *training, pods.launcher);
    find_first_pod(reading, document, *runtime, first, pods.launcher);
    if (pods.workers) {
      read_job_for_cluster(reading, *worker_job, *pods.workers);
      find_first_pod(reading, document, *runtime, first, *pods.workers);
    }
    return launch_mpi_policy(reading, job, policy, std::move(pods), nodes, processes);
  }
  PodGroup group = read_pod(reading, job, *pod_template(training), kGroup, {"node"}, added_by(policy));
  settle_word(group, kPodName, "${job}-" + as_template(first) + "-0-${group_node}");
  read_job_for_cluster(reading, *training, group);
  find_first_pod(reading, document, *runtime, first, group);
  GroupSize size{nodes, std::nullopt};
  launch_by_policy(reading, job, policy, group, size, processes);
  add_group(reading, job, std::move(group), size);
}

}  // namespace muster
