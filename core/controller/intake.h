// SPDX-License-Identifier: Apache-2.0
// Intake: accepts submitted jobs. It writes the job's folder, starts to place its agents, and replies to the user once the job is
// durable. Loop thread only.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "core/base/random.h"
#include "core/controller/job_queue.h"
#include "core/controller/job_table.h"
#include "core/port/control_messages.h"

namespace muster {

class Intake {
 public:
  struct Terms {
    uint64_t seed = 1;        // of job ids
    bool standalone = false;  // a job ends with this process
  };

  // `lost_folder` is called when the state folder was removed, so that no job of this process is on disk any more.
  Intake(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue, Terms terms, std::function<void()> lost_folder);

  // Creates the job and queues it. A repeated submit key returns the existing job.
  Result<JobId> accept(const SubmitRequest& request);

  // Ok: the job is durable, and the user may be told. Otherwise the job was withdrawn, and the status says why.
  Status confirm(const JobId& job);

 private:
  Status refuse_taken_name(const std::string& name) const;
  Status write(const Submission& submission, const JobSecrets& secrets, TimePoint at);
  void withdraw(const JobId& job);
  Status report_lost_folder();

  const ControllerPorts& ports_;
  JobTable& jobs_;
  JobQueue& queue_;
  const bool standalone_;
  const std::function<void()> lost_folder_;
  Random random_;
  std::set<JobId> unconfirmed_;  // submitted in this turn of the loop, and not confirmed to their users yet
  TimePoint newest_;             // when the last job was submitted
};

}  // namespace muster
