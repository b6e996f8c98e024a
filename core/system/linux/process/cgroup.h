// SPDX-License-Identifier: Apache-2.0
// Cgroups (version 2) for single processes, if this process may make them (cgroups(7); kernel: Documentation/
// admin-guide/cgroup-v2.rst). Not for version 1. Cgroups are optional: without them memory limits are watched and groups
// are killed by signals. Loop thread only.
//
// Not tested on real cgroups: memory.max, memory.events and moving our own processes to a child. On our build machines the memory
// controller belongs to version 1. Creating, starting in, killing and removing cgroups is tested.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster {

// One cgroup. Removed with the object if it holds no process.
class Cgroup {
 public:
  Cgroup(std::string folder, bool limits_memory);
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  int fd() const { return fd_.get(); }

  // Whether the kernel enforces the memory limit with which the cgroup was made.
  bool limits_memory() const { return limits_memory_; }

  // Sends SIGKILL to all its processes.
  void kill_all();

  // Whether the kernel has killed one of its processes for memory.
  bool had_oom_kill() const;

 private:
  const std::string folder_;
  const UniqueFd fd_;
  const bool limits_memory_;
};

// The cgroup of this process, in which other cgroups are made.
class DelegatedCgroup {
 public:
  // None: there is no cgroup version 2, or we may not use this process's cgroup. We may if it belongs to us (or we are root),
  // and it is marked as delegated by systemd or is the top that a container sees. The child to which make() has moved our processes
  // counts as that cgroup.
  static std::optional<DelegatedCgroup> find();

  // Uses the given folder without these checks.
  explicit DelegatedCgroup(std::string folder) : folder_(std::move(folder)) {}

  const std::string& folder() const { return folder_; }

  // Kills the processes in the cgroups that ended processes of our pid namespace made, and removes these cgroups. Returns how many
  // are still there, because their processes have not ended yet.
  size_t end_left_behind() const;

  // Null: the kernel refuses. The first cgroup with a limit enables the memory controller for children; our own processes
  // may have to move to a child for that.
  std::unique_ptr<Cgroup> make(const std::string& name, uint64_t memory_limit_bytes);

 private:
  bool limit(const std::string& child, uint64_t memory_limit_bytes);

  std::string folder_;
  std::optional<bool> has_memory_;
};

}  // namespace muster
