// SPDX-License-Identifier: Apache-2.0
// JobCloser: closes live jobs that have ended. Their devices are released at once. The final record and the index are written
// 50 ms later. If the disk is full, the job stays live and the writing is repeated. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/controller/ended_jobs.h"
#include "core/controller/job_queue.h"
#include "core/controller/job_table.h"

namespace muster {

class JobCloser {
 public:
  // `closed` is called after each job that has been closed.
  JobCloser(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue, EndedJobs& ended,
            std::function<void()> closed);
  // Closes all jobs that have ended.
  ~JobCloser();
  JobCloser(const JobCloser&) = delete;
  JobCloser& operator=(const JobCloser&) = delete;

  // A job has ended. Call it in a later turn of the loop, since the job's coordinator may still be at work in this one.
  void ended(const JobId& job);

  // Closes all jobs that have ended by now.
  void close_ended();

 private:
  std::vector<JobId> ended_jobs() const;
  void close_after(Duration time, const JobId& job);
  bool close(const JobId& job);
  bool write_end(const JobId& job);
  bool write_size(const JobId& job);

  const ControllerPorts& ports_;
  JobTable& jobs_;
  JobQueue& queue_;
  EndedJobs& ended_;
  const std::function<void()> closed_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
