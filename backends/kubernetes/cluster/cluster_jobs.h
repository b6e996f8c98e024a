// ClusterJobs: the jobs of one namespace, asked for by kubectl, and the ways to their coordinators that are open. Loop thread only;
// its calls block for as long as kubectl takes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "backends/kubernetes/cluster/coordinator_link.h"
#include "backends/kubernetes/pod/log_record.h"
#include "core/system/asio/fd_loop.h"

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
  // What a coordinator that has ended left in its log; null: nothing, or the log may not be read. Of each pod asked for once.
  const pod::LogRecord* record_of(const PodFacts& coordinator);
  // Those of all jobs that do not run yet.
  Result<std::vector<PodFacts>> waiting_pods();
  // The same job with what its queue says, where it waits in one and this user may ask.
  JobSetFacts with_queue_reason(JobSetFacts job);

  // What find() may be asked by.
  void remember(const JobId& id, const std::string& name) { names_[id.text()] = name; }
  std::string name_of(const std::string& word) const;

  // Why pods of jobs are not made, as read_refusal() takes it; empty: that may not be read.
  std::string refusals();

  // The controller in `pod`, over a link that stays. permission_denied: this user may not exec.
  Result<ControlClient*> ask(const std::string& name, const std::string& pod, Duration patience = link_patience);
  // Begins to reach it; ask() waits for it then. Where several are to be asked.
  void call(const std::string& name, const std::string& pod);
  // The link is no more.
  void lost(const std::string& name) { links_.erase(name); }

  static constexpr Duration link_patience = std::chrono::seconds(20);

  // Once per sentence.
  void say(const std::string& sentence);

  FdLoop& loop() { return loop_; }
  const KubectlAccess& access() const { return access_; }

 private:
  struct Link {
    std::string pod;
    std::unique_ptr<CoordinatorLink> link;
    bool open = false;
  };
  FdLoop& loop_;
  const KubectlAccess access_;
  const std::function<void(const std::string&)> remark_;
  std::map<std::string, std::string> names_;                      // by id
  std::map<std::string, Link> links_;                             // by name
  std::map<std::string, std::optional<pod::LogRecord>> records_;  // by pod
  std::vector<std::string> said_;
};

// Whether a queue may say more of why it waits than its JobSet does.
inline bool waits_in_queue(const JobSetFacts& job) {
  return job.suspended && !job.queue.empty() && job.end == JobSetFacts::End::none;
}

// What kubectl is asked for a job: its JobSet, its pods, what Kueue keeps of it.
std::vector<std::string> words_for_job_set(const std::string& name);
std::vector<std::string> words_for_pods(const std::string& name);
// For pods that could not be made, in the whole namespace.
std::vector<std::string> words_for_refusals();
std::vector<std::string> words_for_workload(const JobSetFacts& job);

}  // namespace muster
