// SPDX-License-Identifier: Apache-2.0
// EndedJobs: removes ended jobs (retention.h), on request or to limit their disk use. Loop thread only.
#pragma once

#include "core/controller/job_table.h"
#include "core/controller/retention.h"
#include "core/controller/takeover.h"

namespace muster {

class EndedJobs {
 public:
  EndedJobs(const ControllerPorts& ports, JobTable& jobs, Takeover& takeover, const Retention& retention)
      : ports_(ports),
        jobs_(jobs),
        takeover_(takeover),
        retention_(retention) {}
  ~EndedJobs() { ports_.loop.cancel(timer_); }
  EndedJobs(const EndedJobs&) = delete;
  EndedJobs& operator=(const EndedJobs&) = delete;

  // Starts to apply the retention. Before this call, keep_bounded() has no effect.
  void begin();

  // Removes the jobs that the retention does not keep, now and whenever the next one is due.
  void keep_bounded();

  // Removes jobs as requested and returns them. look_only: only returns them.
  Pruned prune(const PruneRequest& request);

 private:
  Pruned remove(const std::vector<const JobRecord*>& going);
  void keep_bounded_later();

  const ControllerPorts& ports_;
  JobTable& jobs_;
  Takeover& takeover_;
  const Retention retention_;
  bool begun_ = false;
  TimerId timer_ = 0;
};

}  // namespace muster
