#include "launcher/cluster/job_creation.h"

#include "backends/jobset/manifest.h"
#include "core/base/text.h"
#include "launcher/submission/fresh_token.h"

namespace muster {
namespace {

// One text of several objects. (JSON documents one behind the other are no text that kubectl up to 1.32 reads.)
std::string list_of(const std::vector<std::string>& objects) {
  return R"({"apiVersion":"v1","kind":"List","items":[)" + join(objects, ",") + "]}";
}

Result<std::string> create(const KubectlAccess& access, const std::string& objects) {
  return run_kubectl(
      access, {.words = {"create", "--validate=strict", "-f", "-", "-o", "json"}, .input = objects, .apart = false});
}

}  // namespace

Status delete_job(const KubectlAccess& access, const std::string& name, bool waited) {
  constexpr Duration kPatience = std::chrono::minutes(2);  // grace of pods, mostly 30 s
  const auto deleted = run_kubectl(access, {.words = {"delete", "jobsets.jobset.x-k8s.io", name, "--cascade=foreground",
                                                      waited ? "--wait=true" : "--wait=false"},
                                            .patience = kPatience});
  return deleted.status();
}

Result<JobSetFacts> create_job(const KubectlAccess& access, const JobSpec& spec, const std::string& image,
                               const std::map<std::string, std::string>& secrets) {
  const Result<std::string> token = fresh_token();
  if (!token.ok()) return token.status();
  ClusterJob job{.name = spec.name, .image = image, .cluster_namespace = access.place.space, .owner_uid = ""};
  const auto made = create(access, manifest_objects(spec, job).back());
  if (!made.ok()) return made.status();
  const auto facts = read_job_sets(*made);
  if (!facts.ok() || facts->size() != 1 || facts->front().uid.empty())
    return Status(Code::data_loss, "kubectl did not say what it created");
  job.owner_uid = facts->front().uid;
  std::vector<std::string> owned = manifest_objects(spec, job);
  owned.back() = secret_object(spec, job, *token, secrets);
  const auto rest = create(access, list_of(owned));
  if (rest.ok()) return facts->front();
  const Status undone = delete_job(access, spec.name, false);
  if (undone.ok()) return rest.status();
  return Status(rest.status().code(), rest.status().message() +
                                          "; and the JobSet that was made could not be deleted: " + undone.message() +
                                          "; kubectl delete jobset " + spec.name);
}

}  // namespace muster
