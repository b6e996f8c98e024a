// SPDX-License-Identifier: Apache-2.0
// ClusterJobs: reads the jobs of one namespace through kubectl and keeps the open links to their coordinators. Loop thread only. Calls
// block until kubectl has ended.
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
  // `remark`: gets notes for the user, one sentence each.
  ClusterJobs(FdLoop& loop, KubectlAccess access, std::function<void(const std::string&)> remark)
      : loop_(loop),
        access_(std::move(access)),
        remark_(std::move(remark)) {}

  // `word`: a name, an id known from remember(), a unique prefix of a name, or @last. not_found.
  Result<JobSetFacts> find(const std::string& word);
  Result<std::vector<JobSetFacts>> all();
  // The job's pods: all of them, or only its coordinator's.
  Result<std::vector<PodFacts>> pods_of(const std::string& name, bool all);
  Result<std::vector<PodFacts>> coordinators();
  // The record at the end of an ended coordinator's log. Null: there is none, or the log cannot be read. Each pod is read once.
  const pod::LogRecord* record_of(const PodFacts& coordinator);
  // The pending pods of all jobs.
  Result<std::vector<PodFacts>> waiting_pods();
  // The job, with the queue's reason in `why` if it waits in a queue and the user may read Workloads.
  JobSetFacts with_queue_reason(JobSetFacts job);

  // Makes find() accept this id.
  void remember(const JobId& id, const std::string& name) { names_[id.text()] = name; }
  std::string name_of(const std::string& word) const;

  // The events for words_for_events(), as JSON. Empty: no words, or the user may not read events.
  std::string events(const std::vector<std::string>& words);

  // The controller in `pod`. The link stays open. permission_denied: the user may not exec.
  Result<ControlClient*> ask(const std::string& name, const std::string& pod, Duration patience = link_patience);
  // Starts to open the link, which ask() then waits for. Lets several links open in parallel.
  void call(const std::string& name, const std::string& pod);
  // Forgets a broken link.
  void lost(const std::string& name) { links_.erase(name); }

  static constexpr Duration link_patience = std::chrono::seconds(20);

  // Passes a note to the user; repeated sentences are dropped.
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

// True if the job waits in a queue, whose Workload may name a reason.
inline bool waits_in_queue(const JobSetFacts& job) {
  return job.suspended && !job.queue.empty() && job.end == JobSetFacts::End::none;
}

// Arguments of kubectl that get a job's JobSet, its pods, and its Kueue Workload.
std::vector<std::string> words_for_job_set(const std::string& name);
std::vector<std::string> words_for_pods(const std::string& name);
std::vector<std::string> words_for_workload(const JobSetFacts& job);

}  // namespace muster
