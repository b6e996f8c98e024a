// Cgroups of version 2 for single processes, where this process may make them (cgroups(7); kernel: Documentation/
// admin-guide/cgroup-v2.rst). Not for version 1, and never required: without them limits are watched and groups
// killed by signals. Loop thread only.
//
// Untested part: on our build machines the memory controller belongs to version 1, so only making, starting in,
// killing and removing were tried there; memory.max, memory.events and moving ourselves out of the way were not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster {

// One cgroup; removed with the object if nothing is left in it.
class Cgroup {
 public:
  Cgroup(std::string folder, bool limits_memory);
  ~Cgroup();
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;

  int fd() const { return fd_.get(); }

  // Whether the limit it was made with is enforced here.
  bool limits_memory() const { return limits_memory_; }

  // SIGKILL to all in it, at once (cgroup.kill, Linux 5.14). Nothing on older kernels.
  void kill_all();

  // Whether the kernel killed one of its processes for memory.
  bool had_oom_kill() const;

 private:
  const std::string folder_;
  const UniqueFd fd_;
  const bool limits_memory_;
};

// Our own cgroup, as the place to make others in.
class DelegatedCgroup {
 public:
  // None when there is no version 2 or its folder here is not ours to use: it must belong to us (or we be root), and
  // be marked as delegated by systemd or be the top that a container sees.
  static std::optional<DelegatedCgroup> find();

  // The same at a given folder, without asking whose it is.
  explicit DelegatedCgroup(std::string folder) : folder_(std::move(folder)) {}

  // Removes what agents that are gone left here. Cgroups with processes in them, and those of living agents, stay.
  void remove_left_behind() const;

  // Null when the kernel refuses it. The first with a limit hands the memory controller down, for which our own
  // processes may have to move to a child.
  std::unique_ptr<Cgroup> make(const std::string& name, uint64_t memory_limit_bytes);

 private:
  bool limit(const std::string& child, uint64_t memory_limit_bytes);

  std::string folder_;
  std::optional<bool> has_memory_;
};

}  // namespace muster
