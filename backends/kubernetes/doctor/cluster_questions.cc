// SPDX-License-Identifier: Apache-2.0
// The questions to a cluster. Most are plain API paths: one request each, without discovery.
#include "backends/kubernetes/doctor/cluster_check.h"
#include "core/base/text.h"
#include "core/job/json_text.h"

namespace muster {
namespace {

using Level = Finding::Level;

std::string core_path(const std::string& space, const std::string& rest) {
  return "/api/v1/namespaces/" + space + rest;
}

ClusterQuestion raw(const std::string& name, const std::string& path) { return {name, {"get", "--raw", path}, ""}; }

std::string review(const Right& right, const std::string& space) {
  return "{\"apiVersion\":\"authorization.k8s.io/v1\",\"kind\":\"SelfSubjectAccessReview\",\"spec\":"
         "{\"resourceAttributes\":{\"namespace\":" +
         json_quoted(space) + ",\"verb\":" + json_quoted(right.verb) + ",\"group\":" + json_quoted(right.group) +
         ",\"resource\":" + json_quoted(right.resource) + ",\"subresource\":" + json_quoted(right.subresource) + "}}}";
}

// Like `kubectl auth can-i`, for all rights in one call. As a List, because kubectl up to 1.32 cannot read concatenated JSON documents.
ClusterQuestion question_of_rights(const ClusterCase& about) {
  std::vector<std::string> reviews;
  for (const Right& right : rights_wanted(about)) reviews.push_back(review(right, about.space));
  return {"rights",
          {"create", "--validate=false", "-f", "-", "-o", "json"},
          "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + join(reviews, ",") + "]}"};
}

void add_named(const ClusterCase& about, std::vector<ClusterQuestion>& questions) {
  const KubernetesSpec& wanted = about.wanted;
  const auto named = [&](const std::string& kind, const std::string& name) {
    if (!name.empty()) questions.push_back(raw(kind + " " + name, core_path(about.space, "/" + kind + "s/" + name)));
  };
  named("serviceaccount", wanted.service_account);
  for (const std::string& name : wanted.pull_secrets) named("secret", name);
  for (const VolumeSpec& volume : wanted.volumes) {
    named("persistentvolumeclaim", volume.claim);
    named("secret", volume.secret);
  }
  if (!wanted.priority_class.empty())
    questions.push_back(raw("priorityclass", "/apis/scheduling.k8s.io/v1/priorityclasses/" + wanted.priority_class));
  if (!wanted.runtime_class.empty())
    questions.push_back(raw("runtimeclass", "/apis/node.k8s.io/v1/runtimeclasses/" + wanted.runtime_class));
  if (!wanted.queue.empty() && wanted.gang == PodGang::none)
    questions.push_back({"queue", {"get", "localqueues.kueue.x-k8s.io", wanted.queue, "-o", "json"}, ""});
}

}  // namespace

std::string Right::name() const {
  return resource + (group.empty() ? "" : "." + group) + (subresource.empty() ? "" : "/" + subresource);
}

std::vector<Right> rights_wanted(const ClusterCase& about) {
  const std::string sets = "jobset.x-k8s.io";
  std::vector<Right> rights = {
      {"create", sets, "jobsets", "", Level::problem, "no job can be submitted"},
      {"get", sets, "jobsets", "", Level::problem, "no job can be followed"},
      {"list", sets, "jobsets", "", Level::problem, "muster ps sees no job"},
      {"delete", sets, "jobsets", "", Level::note,
       "muster rm cannot delete jobs, and objects of a job that is refused halfway remain"},
      {"create", "", "secrets", "", Level::problem, "no job can be submitted: its pods share a Secret"},
      {"get", "", "pods", "", Level::problem, "no job can be followed"},
      {"list", "", "pods", "", Level::problem, "no job can be followed, and muster cannot say why one waits"},
      {"get", "", "pods", "log", Level::note, "logs cannot be read after the coordinator has ended"},
      {"create", "", "pods", "exec", Level::note,
       "muster shows only the cluster's state and the pod's log; attach, exec and top do not work, and stop deletes "
       "the "
       "JobSet"},
      {"list", "", "events", "", Level::note,
       "muster cannot say why pods are not created, or which volume a pod waits for"}};
  for (const VolumeSpec& volume : about.wanted.volumes) {
    if (volume.files.empty()) continue;
    rights.push_back(
        {"create", "", "configmaps", "", Level::problem, "the job's volumes with files cannot be created"});
    break;
  }
  const PodGang gang = about.wanted.gang;
  if (gang == PodGang::coscheduling || gang == PodGang::volcano)
    rights.push_back({"create", gang == PodGang::volcano ? "scheduling.volcano.sh" : "scheduling.x-k8s.io", "podgroups",
                      "", Level::problem, "the job's PodGroup cannot be created"});
  return rights;
}

std::vector<ClusterQuestion> questions_at_home() {
  return {{"client", {"version", "--client", "-o", "json"}, ""},
          {"config", {"config", "view", "--minify", "-o", "json"}, ""}};
}

std::vector<ClusterQuestion> questions_at_the_door() { return {{"version", {"version", "-o", "json"}, ""}}; }

std::vector<ClusterQuestion> questions_inside(const ClusterCase& about) {
  const std::string& space = about.space;
  std::vector<ClusterQuestion> questions = {
      {"whoami", {"auth", "whoami", "-o", "json"}, ""},
      question_of_rights(about),
      raw("jobset", "/apis/jobset.x-k8s.io"),
      raw("controller", "/apis/apps/v1/namespaces/jobset-system/deployments"),
      {"dry run", {"create", "--dry-run=server", "--validate=false", "-f", "-", "-o", "json"}, about.job_set},
      raw("namespace", "/api/v1/namespaces/" + space),
      raw("limits", core_path(space, "/limitranges")),
      raw("quotas", core_path(space, "/resourcequotas")),
      raw("network policies", "/apis/networking.k8s.io/v1/namespaces/" + space + "/networkpolicies"),
      raw("dns",
          "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices"
          "?labelSelector=kubernetes.io%2Fservice-name%3Dkube-dns")};
  if (about.has_job) questions.push_back(raw("nodes", "/api/v1/nodes"));
  if (about.has_job) add_named(about, questions);
  return questions;
}

std::string space_of(const ClusterAnswers& answers) {
  const auto config = answers.find("config");
  if (config == answers.end()) return "default";
  const auto contexts = ClusterValue::of(config->second.text).items({"contexts"});
  const std::string space = contexts.empty() ? "" : contexts.front().text({"context", "namespace"});
  return space.empty() ? "default" : space;
}

std::vector<PodsWanted> pods_wanted(const std::string& job_set) {
  std::vector<PodsWanted> wanted;
  for (const ClusterValue& job : ClusterValue::of(job_set).items({"spec", "replicatedJobs"})) {
    const ClusterValue pod = job.at({"template", "spec", "template"});
    const double parallel = job.number({"template", "spec", "parallelism"});
    const double replicas = job.number({"replicas"});
    wanted.push_back({job.text({"name"}), (parallel == 0 ? 1 : parallel) * (replicas == 0 ? 1 : replicas),
                      pod.at({"spec"}), pod.texts({"metadata", "labels"})});
  }
  return wanted;
}

}  // namespace muster
