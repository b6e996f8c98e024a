// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/job_creation.h"

#include <optional>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/base/text.h"
#include "core/client/fresh_token.h"

namespace muster {
namespace {

// Several objects as one List. kubectl up to 1.32 cannot read concatenated JSON documents.
std::string list_of(const std::vector<std::string>& objects) {
  return R"({"apiVersion":"v1","kind":"List","items":[)" + join(objects, ",") + "]}";
}

KubectlCall::Wanted creation(const char* validation, std::string objects) {
  return {.words = {"create", validation, "-f", "-", "-o", "json"}, .input = std::move(objects), .apart = false};
}

Result<JobSetFacts> made_of(const std::string& json) {
  const auto facts = read_job_sets(json);
  if (!facts.ok() || facts->size() != 1 || facts->front().uid.empty())
    return Status(Code::data_loss, "kubectl did not print the JobSet that it created");
  return facts->front();
}

std::string owned_by(const JobSetFacts& made, ClusterJob job, const JobSpec& spec, const std::string& token,
                     const std::map<std::string, std::string>& secrets) {
  job.owner_uid = made.uid;
  std::vector<std::string> objects = objects_beside(spec, job);
  objects.push_back(secret_object(spec, job, token, secrets));
  return list_of(objects);
}

Status undone(const KubectlAccess& access, const std::string& name, const Status& why) {
  const Status gone = delete_job(access, name, false);
  if (gone.ok()) return why;
  return Status(why.code(), why.message() + "; and the JobSet that was created could not be deleted: " +
                                gone.message() + "; delete it: kubectl delete jobset " + name);
}

}  // namespace

Status delete_job(const KubectlAccess& access, const std::string& name, bool waited) {
  constexpr Duration kPatience = std::chrono::minutes(2);  // pods usually have 30 s to end
  const auto deleted = run_kubectl(access, {.words = {"delete", "jobsets.jobset.x-k8s.io", name, "--cascade=foreground",
                                                      waited ? "--wait=true" : "--wait=false"},
                                            .patience = kPatience});
  return deleted.status();
}

Result<JobSetFacts> create_job(const KubectlAccess& access, const JobSpec& spec, const std::string& image,
                               const std::map<std::string, std::string>& secrets) {
  const Result<std::string> token = fresh_token();
  if (!token.ok()) return token.status();
  const ClusterJob job{.name = spec.name, .image = image, .cluster_namespace = access.place.space, .owner_uid = ""};
  std::optional<JobSetFacts> made;
  const auto owned =
      run_kubectl_after(access, creation("--validate=strict", job_set_object(spec, job)),
                        creation("--validate=false", ""), [&](const std::string& json) -> Result<std::string> {
                          const auto facts = made_of(json);
                          if (!facts.ok()) return facts.status();
                          made = *facts;
                          return owned_by(*made, job, spec, *token, secrets);
                        });
  if (owned.ok()) return *made;
  return made ? undone(access, spec.name, owned.status()) : owned.status();
}

}  // namespace muster
