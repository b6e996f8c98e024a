// SPDX-License-Identifier: Apache-2.0
// ClusterFollow: follows a job of a cluster. While the job waits, it reports what the job waits for. Then it forwards the coordinator's
// stream over `kubectl exec`. If exec is denied or the coordinator has ended, it reads the coordinator pod's log. Loop thread only.
//
// Ends with unavailable if the stream or the API server is lost; a new object can resume from there (FollowRequest::resume). A log that
// was shown once is not shown again.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "backends/kubernetes/cluster/cluster_jobs.h"
#include "backends/kubernetes/cluster/log_choice.h"
#include "backends/kubernetes/cluster/pod_log.h"
#include "core/port/control.h"

namespace muster {

class ClusterFollow final : public JobReadClient::Following {
 public:
  using OnItem = std::function<void(const FollowItem&)>;
  using OnEnd = std::function<void(const Status&)>;
  ClusterFollow(std::shared_ptr<ClusterJobs> jobs, FollowRequest request, OnItem on_item, OnEnd on_end);
  ~ClusterFollow() override;
  void hold(bool held) override;

  static constexpr Duration pause = std::chrono::milliseconds(700);  // between two polls of a job that has not started
  static constexpr Duration patient_pause =
      std::chrono::seconds(2);  // between two polls while the cluster does not answer
  static constexpr Duration pods_pause =
      std::chrono::seconds(1);  // between two polls of the pods of a job that is being placed

 private:
  void poll_job();
  void poll_again_or_end(const Status& status);
  void take_job(Result<std::string> json);
  void take_pods(Result<std::string> json);
  void take_workload(Result<std::string> json);
  void decide();
  void wait();
  bool follow_coordinator(const PodFacts& pod);
  void received(const FollowItem& item);
  JobView with_memory_deaths(JobView view);
  void poll_missing_pods();
  void take_missing_pods(Result<std::string> json);
  void take_events(Result<std::string> json);
  void take_events_of_missing(Result<std::string> json);
  std::vector<std::string> words_for_reason(const JobView& job);
  void report_missing_pods();
  void begin_log(const PodFacts& pod);
  void read_log(const PodFacts& pod, bool to_its_end);
  void log_ended(const Status& status);
  void show(const std::vector<FollowItem>& items);
  void job_ended();
  void job_deleted();
  void end(const Status& status);
  void call(std::vector<std::string> words, void (ClusterFollow::*then)(Result<std::string>));

  const std::shared_ptr<ClusterJobs> jobs_;
  const FollowRequest request_;
  const std::string name_;
  const OnItem on_item_;
  OnEnd on_end_;
  std::unique_ptr<KubectlCall> call_;
  std::unique_ptr<JobReadClient::Following> inner_;
  TimerId timer_ = 0;
  std::optional<JobSetFacts> job_;
  std::vector<PodFacts> pods_;
  std::optional<JobView> told_;
  std::optional<PodLog> log_;
  std::optional<LogChoice> choice_;
  const pod::LogRecord* record_ = nullptr;  // of a job that has ended; owned by jobs_
  bool tail_shown_ = false;
  std::string log_pod_;                         // the pod whose log was shown
  uint64_t log_bytes_ = 0;                      // bytes of that log that were shown
  uint64_t skip_ = 0;                           // bytes still to be skipped in the log that is being read
  std::optional<JobView> open_;                 // the coordinator's last view, while pods are missing
  std::string waits_;                           // what that view waits for
  bool polling_ = false;                        // the pods are being polled
  std::string events_;                          // the cluster's events that may say why pods do not run
  uint32_t unexplained_polls_ = 0;              // polls after which only events could say why pods do not run
  std::optional<TimePoint> unreachable_since_;  // since when the API server does not answer
  bool waited_ = false;
  bool may_exec_ = true;
  uint32_t refusals_ = 0;  // failed attempts to ask a running coordinator
};

}  // namespace muster
