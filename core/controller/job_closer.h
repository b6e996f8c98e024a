// JobCloser: what is done when a live job has ended. Its devices are free at once. Its final record and the index are
// written a moment later; if the disk is full, it stays live and the writing is repeated. Loop thread only.
#pragma once

#include <functional>
#include <memory>

#include "core/controller/ended_jobs.h"
#include "core/controller/job_queue.h"
#include "core/controller/job_table.h"

namespace muster {

class JobCloser {
 public:
  // `closed` runs after each job that is live no more.
  JobCloser(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue, EndedJobs& ended,
            std::function<void()> closed);
  // Closes all jobs that have ended.
  ~JobCloser();
  JobCloser(const JobCloser&) = delete;
  JobCloser& operator=(const JobCloser&) = delete;

  // A job has ended. Called from a turn of its own, as the job's coordinator may be at work in the turn of the end.
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
