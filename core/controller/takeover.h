// SPDX-License-Identifier: Apache-2.0
// Takeover: takes over jobs in the store that another process hosted (an earlier controller, run --standalone), once that process
// has died. Loop thread only.
#pragma once

#include "core/controller/job_queue.h"
#include "core/controller/job_table.h"

namespace muster {

class Takeover {
 public:
  Takeover(const ControllerPorts& ports, JobTable& jobs, JobQueue& queue) : ports_(ports), jobs_(jobs), queue_(queue) {}

  // Starts to take over jobs, and takes over those that need it now. Before this call, refresh() only reads the records.
  void begin();

  // Reads the records again if another process changed them, and takes over the jobs whose process has died.
  void refresh();

 private:
  void take_over(const JobId& job);
  void host(const JobId& job, JobFold fold, JobSecrets secrets);
  void end_copy(const JobId& job, JobFold fold);
  void settle_record(const JobId& job, const JobFold& fold);
  void write_end(const JobRecord& record);
  void leave_alone(const JobId& job, const Status& why);

  const ControllerPorts& ports_;
  JobTable& jobs_;
  JobQueue& queue_;
  bool begun_ = false;
};

}  // namespace muster
