// ClusterFollow: a job of a cluster followed, whatever there is of it: while it waits, what it waits for; then its coordinator's
// stream over `kubectl exec`; where that is denied or its coordinator has ended, its pod's log. Loop thread only.
//
// Ends with unavailable when the stream or the API server goes away, and can be made anew from where it was (FollowRequest::resume). A
// job whose log was told once is not told again then.
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

  static constexpr Duration pause = std::chrono::milliseconds(700);   // between two looks at what has not begun
  static constexpr Duration patient_pause = std::chrono::seconds(2);  // the same while the cluster does not answer
  static constexpr Duration worth_a_look = std::chrono::seconds(1);   // at the pods of a job that is being placed

 private:
  void look();
  void look_again_or_end(const Status& status);
  void saw_job(Result<std::string> json);
  void saw_pods(Result<std::string> json);
  void saw_workload(Result<std::string> json);
  void decide();
  void wait();
  bool follow_coordinator(const PodFacts& pod);
  void heard(const FollowItem& item);
  JobView with_deaths(JobView view);
  void watch_pods();
  void saw_waiting(Result<std::string> json);
  void saw_refusals(Result<std::string> json);
  void saw_waiting_refusals(Result<std::string> json);
  void tell_waiting();
  void begin_log(const PodFacts& pod);
  void read_log(const PodFacts& pod, bool to_its_end);
  void log_ended(const Status& status);
  void show(const std::vector<FollowItem>& items);
  void over();
  void gone();
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
  const pod::LogRecord* record_ = nullptr;  // of a job that has ended; lives as long as jobs_
  bool tail_shown_ = false;
  std::string log_pod_;                  // whose log was shown …
  uint64_t log_bytes_ = 0;               // … so far
  uint64_t skip_ = 0;                    // of the log that comes
  std::optional<JobView> open_;          // as its coordinator told, while its pods are waited for …
  std::string waits_;                    // … for this
  bool watching_ = false;                // them
  std::string refusal_;                  // why some of its pods were not made …
  uint32_t looks_in_vain_ = 0;           // … asked after so many looks
  std::optional<TimePoint> away_since_;  // the cluster
  bool waited_ = false;
  bool may_exec_ = true;
  uint32_t refusals_ = 0;  // of a coordinator that runs
};

}  // namespace muster
