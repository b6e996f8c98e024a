// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/process/orphan_sweep.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "core/system/linux/proc_files.h"
#include "core/system/linux/process/wait_status.h"

namespace muster {

bool OrphanSweep::round(const std::set<pid_t>& spared) {
  left_.clear();
  if (!has_children()) return true;  // the usual case; listing children takes as long as starting one
  for (const pid_t pid : own_children()) {
    if (spared.contains(pid) || refused_.contains(pid)) continue;
    if (reap_if_ended(pid)) continue;
    kill_one(pid, spared);
    if (!refused_.contains(pid) && !reap_if_ended(pid)) left_.push_back(pid);
  }
  // A listing may miss children while others come and go (proc(5)), so an empty round is repeated once.
  return left_.empty() && own_children().size() <= spared.size() + refused_.size();
}

// Kills the whole group at once, so that a fork bomb has no time between two signals. A group that contains one of our
// descendants was made by one of them, unless it is our own group.
void OrphanSweep::kill_one(pid_t pid, const std::set<pid_t>& spared) {
  const pid_t group = getpgid(pid);
  if (kill(pid, SIGKILL) != 0 && errno == EPERM) {
    refused_.insert(pid);
    return;
  }
  killed_.insert(pid);
  if (group > 1 && group != getpgrp() && !spared.contains(group)) kill(-group, SIGKILL);
}

std::vector<std::string> OrphanSweep::remaining() const {
  std::vector<std::string> names;
  for (const pid_t pid : left_) {
    const auto stat = read_stat(pid);
    if (!stat) continue;
    const bool stuck = stat->state == 'D';
    names.push_back(std::to_string(pid) + " (" + stat->command + (stuck ? ", in uninterruptible sleep)" : ")"));
  }
  return names;
}

}  // namespace muster
