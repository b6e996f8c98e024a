// InheritedJob: the job of a coordinator whose pod is gone, from what its agents keep. Nothing of ours has begun then, so this process
// begins anew with that job in its store, as if a container of the same pod had been started again. Loop thread only.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/attempt/assignment.h"
#include "core/port/job_store.h"
#include "core/port/loop.h"

namespace muster::pod {

class InheritedJob {
 public:
  // `begin_anew` runs when the job lies in the store, and all others there are gone.
  InheritedJob(Loop& loop, JobStore& store, JobSecrets secrets, std::string submit_key,
               std::function<void()> begin_anew);
  ~InheritedJob();

  // Of some agent; of several the longest counts, since each was told at its own time.
  void found(const std::string& packed);

 private:
  void take();
  Status keep();

  Loop& loop_;
  JobStore& store_;
  const JobSecrets secrets_;
  const std::string submit_key_;
  const std::function<void()> begin_anew_;
  std::vector<std::string> lines_;
  TimerId timer_ = 0;
};

}  // namespace muster::pod
