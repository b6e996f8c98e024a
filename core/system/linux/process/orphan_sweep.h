// SPDX-License-Identifier: Apache-2.0
// OrphanSweep: kills and reaps the children of this process that nothing here manages: processes that ended processes left
// behind and that the kernel gave to this subreaper. Used by the process host, which runs rounds from its loop,
// and by the guardian.
//
// When a child is killed, its own children become ours. So a sweep consists of rounds until no child is left. Signals go only
// to children that are not reaped yet, so a reused pid is never signalled. One owner; any one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace muster {

class OrphanSweep {
 public:
  // Kills every child that is not in `spared`, with its process group unless that is our own or contains one of `spared`. Reaps
  // those that have ended. True: no child is left, except those that we may not kill because they run as another
  // user.
  bool round(const std::set<pid_t>& spared);

  // The number of processes that were alive when found.
  uint32_t killed() const { return static_cast<uint32_t>(killed_.size()); }

  // The processes that the last round left, for messages: "4711 (python, in uninterruptible sleep)".
  std::vector<std::string> remaining() const;

 private:
  void kill_one(pid_t pid, const std::set<pid_t>& spared);

  std::set<pid_t> killed_;
  std::set<pid_t> refused_;
  std::vector<pid_t> left_;
};

}  // namespace muster
