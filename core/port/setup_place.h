// SPDX-License-Identifier: Apache-2.0
// SetupPlace: the record of setups on a host, and the folders in which they run. Loop thread only.
//
// A working folder that all jobs share is set up in place. A folder that is the job's own copy is removed with its job. Then the
// setup runs in a second copy that stays, and every job's folder gets links to the files that the setup created.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/machine_info.h"

namespace muster {

struct SetupSite {
  std::string name;         // the same for jobs that need the same setup
  std::string workdir;      // where the commands run
  std::string copied_from;  // the job's own folder, of which `workdir` is a copy; empty: it is no copy
  bool operator==(const SetupSite&) const = default;
};

class SetupPlace {
 public:
  virtual ~SetupPlace() = default;

  // The site for `commands` of a job that runs in `workdir`. The result depends on the files that the commands name.
  virtual SetupSite site(const std::string& identity, const std::vector<std::vector<std::string>>& commands,
                         const std::string& workdir) = 0;

  // True if the setup was done on this host; also updates its time of last use.
  virtual bool is_done(const SetupSite& site) = 0;
  virtual Status note_done(const SetupSite& site) = 0;

  // Excludes other processes, on all hosts that share this disk, from this setup and from others in the same folder. Null: another
  // process has the lock.
  virtual std::unique_ptr<MachineLease> lock(const SetupSite& site) = 0;

  // For a copy: removes the remains of a failed setup, and makes space for the new one.
  virtual Status clear(const SetupSite& site) = 0;
  // For a copy: creates links in the job's folder to new files of the copy. Call it again after a failure.
  virtual Status link(const SetupSite& site) = 0;

  // True if it contains a Python that can be executed.
  virtual bool is_venv(const std::string& path) = 0;
};

}  // namespace muster
