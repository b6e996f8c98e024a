// SetupPlace: what a host remembers of the setup of jobs, and where that is done. Loop thread only.
//
// A working folder that all jobs share is set up where it is. One that is a job's own copy goes with its job: what is set up then is
// a copy beside it that stays, and every job's folder gets links to what was made there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/machine_info.h"

namespace muster {

struct SetupSite {
  std::string name;         // the same for jobs that need the same here
  std::string workdir;      // where the commands run
  std::string copied_from;  // the job's own folder, of which `workdir` is to be a copy; empty: it is no copy
  bool operator==(const SetupSite&) const = default;
};

class SetupPlace {
 public:
  virtual ~SetupPlace() = default;

  // Where `commands` are run for a job that begins in `workdir`. Files that they name are part of what they depend on.
  virtual SetupSite site(const std::string& identity, const std::vector<std::vector<std::string>>& commands,
                         const std::string& workdir) = 0;

  // It was done here; that is remembered as used now.
  virtual bool is_done(const SetupSite& site) = 0;
  virtual Status note_done(const SetupSite& site) = 0;

  // Nobody else on the hosts that see this disk does it, nor another setup in the same folder. Null: somebody does.
  virtual std::unique_ptr<MachineLease> lock(const SetupSite& site) = 0;

  // Of a copy: nothing is left of one that failed, and there is room for the new one.
  virtual Status clear(const SetupSite& site) = 0;
  // Of a copy: the job's folder gets links to what was made there and is not in it. Whole or again.
  virtual Status link(const SetupSite& site) = 0;

  // Whether a Python can be run from it.
  virtual bool is_venv(const std::string& path) = 0;
};

}  // namespace muster
