// SPDX-License-Identifier: Apache-2.0
// OwnerLocks: the jobs that this process hosts. For each it holds an flock on the file `owner` in the job's folder. The
// kernel releases the lock when the process ends in any way (flock(2)). Used only in core/system/store. Loop thread only.
//
// If the file is deleted, its holder makes and locks it again at the next renew(). A process that finds no file makes one and takes
// the job only if nobody has locked that one for kDispute.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "core/base/ids.h"
#include "core/system/posix/unique_fd.h"

namespace muster::store {

// Several times the period of renew(): a busy host notices within this time that its file is gone.
constexpr std::chrono::seconds kDispute{10};

class OwnerLocks {
 public:
  // Of a job that is being created in `folder`, which is renamed to `final_folder` afterwards.
  bool take_new(const JobId& job, const std::string& folder, const std::string& final_folder);
  // Of a job that exists. False: another live process hosts the job in `folder`, or may do so.
  bool take(const JobId& job, const std::string& folder);
  bool has(const JobId& job) const { return held_.count(job) > 0; }
  void release(const JobId& job) { held_.erase(job); }

  // Makes deleted files again. False: another process has taken one of the jobs meanwhile.
  bool renew();

 private:
  struct Held {
    UniqueFd file;
    std::string path;
  };
  static bool renew(Held& held);

  std::map<JobId, Held> held_;
};

}  // namespace muster::store
