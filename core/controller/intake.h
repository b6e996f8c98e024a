// Intake: how a job comes in. Its folder is written and its agents begin to start; the user is answered once the disk has
// the job. Loop thread only.
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

  // `lost_folder` runs when somebody removed the state folder: nothing that this process holds is on disk any more.
  Intake(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue, Terms terms, std::function<void()> lost_folder);

  // Makes the job and queues it, or finds the job of the same submit key.
  Result<JobId> accept(const SubmitRequest& request);

  // Ok: the job is durable, so its user may be answered. Otherwise the job has been withdrawn, and the status says why.
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
  std::set<JobId> unconfirmed_;  // submitted in this turn: their users have not been answered
  TimePoint newest_;             // when the last job was submitted
};

}  // namespace muster
