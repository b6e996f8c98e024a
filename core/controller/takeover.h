// Takeover: the jobs in the store that other processes hosted (an earlier controller, run --standalone). Once such a
// process has died, its jobs are hosted here. Loop thread only.
#pragma once

#include "core/controller/job_queue.h"
#include "core/controller/job_table.h"

namespace muster {

class Takeover {
 public:
  Takeover(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue) : ports_(ports), jobs_(jobs), queue_(queue) {}

  // From here on jobs are taken over, those that there are at once. Before it refresh() only reads.
  void begin();

  // Reads the records again if another process changed them, and takes over the jobs whose host has died.
  void refresh();

 private:
  void take_over(const JobId& job);
  void host(const JobId& job, JobFold fold, JobSecrets secrets);
  void end_copy(const JobId& job, JobFold fold);
  void settle_record(const JobId& job, const JobFold& fold);
  void leave_alone(const JobId& job, const Status& why);

  const ControllerPorts& ports_;
  JobTable& jobs_;
  JobQueue& queue_;
  bool begun_ = false;
};

}  // namespace muster
