// SPDX-License-Identifier: Apache-2.0
// InheritedJob: takes over the job of a coordinator whose pod is lost, from the journal that its agents keep. It writes the job into the
// store of this coordinator, which has no job yet. Then the process starts again, as after a container restart. Loop thread only.
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
  // `begin_anew` runs when the store contains this job and no other.
  InheritedJob(Loop& loop, JobStore& store, JobSecrets secrets, std::string submit_key,
               std::function<void()> begin_anew);
  ~InheritedJob();

  // The journal that an agent keeps. The longest of several is used, because agents receive it at different times.
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
