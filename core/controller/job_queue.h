// SPDX-License-Identifier: Apache-2.0
// JobQueue: the jobs that wait until all their ranks fit. The queue machine decides which of them start. This class asks the
// backends what is free, claims it, and tries again when something may have become free. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/controller/job_table.h"
#include "core/port/control_messages.h"

namespace muster {

class JobQueue {
 public:
  // Finds the job that the user's word names.
  using Find = std::function<Result<JobId>(const std::string& word)>;

  JobQueue(const ControllerPorts& ports, JobTable& jobs);
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // The job must be live. It leaves the queue by itself when it has started or ended.
  void add(const JobId& job) { waiting_.insert(job); }
  void remove(const JobId& job) { waiting_.erase(job); }

  // Starts every job that may start now, and notes for the others what they wait for.
  void admit();

  // failed_precondition: the job is not queued, or the one it is to be moved beside is not.
  Status arrange(const JobId& job, const ArrangeRequest& request, const Find& find);

  // The reason why a queued job inside its own command (run --standalone) waits, as far as this process can tell. Empty: the job does
  // not wait, or the reason is unknown.
  std::string waits_elsewhere(const JobFold& fold) const;

 private:
  std::vector<queue::Waiting> waiting();
  std::vector<Holder> holders(const Backend& of) const;
  Status start(const JobId& job, const std::vector<Holder>& others);
  Status start_on_hosts(const JobId& job);
  void admit_here(std::vector<queue::Waiting> jobs);
  void admit_on_hosts(std::vector<queue::Waiting> jobs);
  void admit_again(Duration after);
  Status refuse_unqueued(const JobId& job);

  const ControllerPorts& ports_;
  JobTable& jobs_;
  std::set<JobId> waiting_;
  TimerId timer_ = 0;
  TimePoint due_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
