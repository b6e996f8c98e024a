// OrphanSweep: kills and reaps the children of this process that nobody here knows: what ended processes left
// behind and the kernel gave to us, their subreaper. Shared by the process host, which runs rounds from its loop,
// and the guardian.
//
// Killing a child makes its own children ours, so a sweep is rounds until none is left. Signals go only to
// children that are not reaped yet, so no pid can be a stranger's. One owner, any one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace muster {

class OrphanSweep {
 public:
  // Kills (with its process group, unless that is ours or of one of `spared`) every child not in `spared`, and
  // reaps those that have ended. True when none is left but those that may not be killed: they run as another
  // user.
  bool round(const std::set<pid_t>& spared);

  // Processes that were alive when found.
  uint32_t killed() const { return static_cast<uint32_t>(killed_.size()); }

  // What the last round left, for a person: "4711 (python, in uninterruptible sleep)".
  std::vector<std::string> remaining() const;

 private:
  void kill_one(pid_t pid, const std::set<pid_t>& spared);

  std::set<pid_t> killed_;
  std::set<pid_t> refused_;
  std::vector<pid_t> left_;
};

}  // namespace muster
