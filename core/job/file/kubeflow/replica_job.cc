// SPDX-License-Identifier: Apache-2.0
// kubeflow.org/v1: PyTorchJob, TFJob, XGBoostJob, PaddleJob, JAXJob. Their pods differ in the variables that the
// operator sets. muster sets the same ones: by a framework, or with `custom` under the operator's names.
#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/kubeflow/framework_launch.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/pod_variables.h"
#include "core/job/file/kubeflow/readers.h"
#include "core/job/file/kubeflow/replica_specs.h"
#include "core/job/file/kubeflow/trainer/torch_policy.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

// Each rank gets all variables of the operator.
void give_variables(YamlNode& job, PodGroup& group) {
  put(job, "framework", text_node("custom", group.where));
  give_added(group);
}

// The range of nodes of an elastic job, from minReplicas to the replicas: "2..4". The master counts too.
void take_elastic(Reading& reading, YamlNode& job, const YamlNode& policy, std::vector<ReplicaGroup>& groups) {
  if (groups.size() != 1)
    return reading.error("E1803", policy.where, "muster changes the size of jobs with one kind of pods only",
                         "give Master and Worker the same template and restartPolicy, or leave Master out");
  const YamlNode* least_asked = child(&policy, "minReplicas");
  const YamlNode* most_asked = child(&policy, "maxReplicas");
  const auto low = count_at_least(reading, least_asked, 1, "minReplicas");
  const auto high = count_at_least(reading, most_asked, 1, "maxReplicas");
  const uint64_t nodes = groups[0].nodes;
  const uint64_t least = low.value_or(nodes);
  // The operator starts `replicas` pods.
  const uint64_t most = std::min(high.value_or(kLargestCount), std::max(nodes, least));
  if (least > most && !low)
    return reading.error("E1802", (least_asked == nullptr ? policy : *least_asked).where,
                         "replicas " + std::to_string(nodes) + " is greater than maxReplicas " + std::to_string(most),
                         "raise maxReplicas, or add minReplicas");
  if (least > most)
    return reading.error("E1802", least_asked->where, "minReplicas is greater than maxReplicas",
                         "Kubernetes would reject it too");
  read_restarts(reading, job, child(&policy, "maxRestarts"), "maxRestarts");
  if (reading.in_cluster())
    return reading.note(policy.where, "`elasticPolicy` does not change the number of pods: a JobSet has a fixed one");
  if (high.value_or(0) > most)
    reading.note(most_asked->where, "`maxReplicas: " + std::to_string(*high) + "` has no effect: the job has at most " +
                                        count_of(most, "node") + ", as `" +
                                        std::string(least > nodes ? "minReplicas" : "replicas") +
                                        "` says. In Kubernetes only an "
                                        "autoscaler adds more");
  groups[0].range = least == most ? "" : std::to_string(least) + ".." + std::to_string(most);
  groups[0].nodes = most;
}

// The operator's rule: a failed replica fails the job, whatever its role; the chief, else worker 0 or all workers, end it.
std::string tf_success(const YamlNode& spec, const std::string& role, bool has_chief) {
  if (role == "Chief" || role == "Master") return "all";
  if (role != "Worker" || has_chief) return "background";
  return text_of(child(&spec, "successPolicy")) == "AllWorkers" ? "all" : "first";
}

// Pods have addresses of their own, so all workers can use the operator's port.
const char* const kXgboostPort = "9999";

const char* const kOneGroup = "worker";

}  // namespace

void read_pytorch_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  const YamlNode* spec = child(&document, "spec");
  read_run_policy(reading, job, spec);
  auto groups = read_replicas(reading, job, document, "pytorchReplicaSpecs", {"Master", "Worker"}, {"pytorch"},
                              torchrun_variables(kCompletionIndex));
  const YamlNode* elastic = child(spec, "elasticPolicy");
  join_same(groups, kOneGroup, elastic != nullptr);
  read_restart_policies(job, groups);
  NodeProcesses processes{.one_without = true};
  if (elastic != nullptr) take_elastic(reading, job, *elastic, groups);
  for (const YamlNode* asked : {child(elastic, "nProcPerNode"), child(spec, "nprocPerNode")}) {
    if (asked != nullptr) processes.asked = *asked;
  }
  if (groups.size() > 1) put(job, "world", text_node("shared", document.where));
  // All groups have one framework. If muster cannot see the ranks of one of them, each command runs as in its pod.
  const bool as_ranks = std::all_of(groups.begin(), groups.end(), [&](const ReplicaGroup& each) {
    return starts_torch_ranks(each.pod, reading.place().python);
  });
  if (groups.size() > 1)
    for (const ReplicaGroup& each : groups) processes.nodes_of_job += each.nodes;
  for (ReplicaGroup& each : groups) {
    GroupSize size = each.size();
    (as_ranks ? launch_torch : launch_once_per_node)(reading, job, each.pod, size, processes);
    add_group(reading, job, std::move(each.pod), size);
  }
}

void read_tf_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  read_run_policy(reading, job, child(&document, "spec"));
  auto groups = read_replicas(reading, job, document, "tfReplicaSpecs",
                              {"Chief", "Master", "Worker", "PS", "Evaluator"}, {"tensorflow"}, {{"TF_CONFIG", ""}});
  put(job, "framework", text_node("tensorflow", document.where));
  if (groups.size() > 1) put(job, "world", text_node("shared", document.where));
  const bool has_chief = std::any_of(groups.begin(), groups.end(),
                                     [](const ReplicaGroup& g) { return g.role == "Chief" || g.role == "Master"; });
  for (ReplicaGroup& each : groups) {
    if (each.role == "Master") each.pod.name = "chief";
  }
  read_restart_policies(job, groups);
  for (ReplicaGroup& each : groups) {
    const std::string role = each.role;
    GroupSize size = each.size();
    add_group(reading, job, std::move(each.pod), size);
    mark_last_group(job, "success", tf_success(*child(&document, "spec"), role, has_chief));
  }
}

void read_xgboost_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  read_run_policy(reading, job, child(&document, "spec"));
  auto groups = read_replicas(reading, job, document, "xgbReplicaSpecs", {"Master", "Worker"}, {"xgboost"},
                              {{"MASTER_ADDR", "${master_address}"},
                               {"MASTER_PORT", "${master_port}"},
                               {"WORLD_SIZE", "${world_size}"},
                               {"RANK", "${rank}"},
                               {"WORKER_PORT", reading.in_cluster() ? kXgboostPort : "${port}"},
                               {"WORKER_ADDRS", "${worker_addresses}"}});
  join_same(groups, kOneGroup);
  read_restart_policies(job, groups);
  if (groups.size() > 1) put(job, "world", text_node("shared", document.where));
  for (ReplicaGroup& each : groups) {
    give_variables(job, each.pod);
    add_group(reading, job, std::move(each.pod), each.size());
  }
}

void read_paddle_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  read_run_policy(reading, job, child(&document, "spec"));
  auto groups = read_replicas(reading, job, document, "paddleReplicaSpecs", {"Master", "Worker"}, {"paddle"},
                              {{"PADDLE_JOB_ID", "${job}"},
                               {"PADDLE_NNODES", "${nodes}"},
                               {"PADDLE_MASTER", "${master_address}:${master_port}"}});
  // With a Master the pods are parameter servers and trainers, one of them in each.
  const bool has_servers = !groups.empty() && groups.front().role == "Master";
  for (ReplicaGroup& each : groups) {
    const char* name = each.role == "Master" ? "PADDLE_SERVER_NUM" : "PADDLE_TRAINER_NUM";
    if (has_servers) put(each.pod.env, name, text_node("1", each.where));
  }
  join_same(groups, kOneGroup);
  read_restart_policies(job, groups);
  if (groups.size() > 1) put(job, "world", text_node("shared", document.where));
  for (ReplicaGroup& each : groups) {
    give_variables(job, each.pod);
    add_group(reading, job, std::move(each.pod), each.size());
  }
}

void read_jax_job(Reading& reading, YamlNode& job, const YamlNode& document) {
  read_run_policy(reading, job, child(&document, "spec"));
  auto groups = read_replicas(reading, job, document, "jaxReplicaSpecs", {"Worker"}, {"jax"},
                              {{"COORDINATOR_ADDRESS", "${master_address}"},
                               {"COORDINATOR_PORT", "${master_port}"},
                               {"NUM_PROCESSES", "${world_size}"},
                               {"PROCESS_ID", "${rank}"}});
  read_restart_policies(job, groups);
  for (ReplicaGroup& each : groups) {
    give_variables(job, each.pod);
    add_group(reading, job, std::move(each.pod), each.size());
  }
}

}  // namespace muster
