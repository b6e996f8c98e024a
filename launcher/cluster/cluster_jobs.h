// ClusterJobs: the jobs of one namespace, asked for by kubectl, and the ways to their coordinators that are open. Loop thread only;
// its calls block for as long as kubectl takes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/adapter/asio/fd_loop.h"
#include "launcher/cluster/cluster_facts.h"
#include "launcher/cluster/coordinator_link.h"

namespace muster {

class ClusterJobs {
 public:
  // `remark`: a sentence about what was done in another way than usual.
  ClusterJobs(FdLoop& loop, KubectlAccess access, std::function<void(const std::string&)> remark)
      : loop_(loop),
        access_(std::move(access)),
        remark_(std::move(remark)) {}

  // By name, an id that remember() was told, a prefix of one name only, or @last. not_found.
  Result<JobSetFacts> find(const std::string& word);
  Result<std::vector<JobSetFacts>> all();
  // All of the job's, or its coordinator's.
  Result<std::vector<PodFacts>> pods_of(const std::string& name, bool all);
  Result<std::vector<PodFacts>> coordinators();
  // Those of all jobs that do not run yet.
  Result<std::vector<PodFacts>> waiting_pods();

  // What find() may be asked by.
  void remember(const JobId& id, const std::string& name) { names_[id.text()] = name; }
  std::string name_of(const std::string& word) const;

  // The controller in `pod`, over a link that stays. permission_denied: this user may not exec.
  Result<ControlClient*> ask(const std::string& name, const std::string& pod);
  // The link is no more.
  void lost(const std::string& name) { links_.erase(name); }

  // Once per sentence.
  void say(const std::string& sentence);

  FdLoop& loop() { return loop_; }
  const KubectlAccess& access() const { return access_; }

 private:
  struct Link {
    std::string pod;
    std::unique_ptr<CoordinatorLink> link;
  };
  FdLoop& loop_;
  const KubectlAccess access_;
  const std::function<void(const std::string&)> remark_;
  std::map<std::string, std::string> names_;  // by id
  std::map<std::string, Link> links_;         // by name
  std::vector<std::string> said_;
};

// What kubectl is asked for a job: its JobSet, its pods.
std::vector<std::string> words_for_job_set(const std::string& name);
std::vector<std::string> words_for_pods(const std::string& name);

}  // namespace muster
