// SPDX-License-Identifier: Apache-2.0
// OwnerLocks: the jobs that this process hosts. For each it holds an flock on the file `owner` in the job's folder. The
// kernel releases the lock when the process ends in any way (flock(2)). Used only in core/system/store. Loop thread only.
#pragma once

#include <map>
#include <string>

#include "core/base/ids.h"
#include "core/system/posix/unique_fd.h"

namespace muster::store {

class OwnerLocks {
 public:
  // False: another live process hosts the job in `folder`.
  bool take(const JobId& job, const std::string& folder);
  bool has(const JobId& job) const { return held_.count(job) > 0; }
  void release(const JobId& job) { held_.erase(job); }

 private:
  std::map<JobId, UniqueFd> held_;
};

}  // namespace muster::store
