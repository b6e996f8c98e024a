// SPDX-License-Identifier: Apache-2.0
// What this machine tells about processes that the kernel has killed for lack of memory, and what follows for a process that
// SIGKILL has ended. Loop thread only; judge_kill() and note_on_others() are pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/system/linux/kernel_log.h"
#include "core/system/linux/process/memory_use.h"

namespace muster {

// Of the last seconds.
struct OomFacts {
  std::optional<bool> on_machine;  // the kernel has killed a process; nothing: the kernel does not report it
  std::optional<bool> in_cgroup;   // it has killed a process of the cgroup that the ranks are in; nothing: not known
  // What its log names, since the first rank. Nothing: the log cannot be read, or lacks kills that the kernel has counted.
  std::optional<std::vector<KernelKill>> log;
};

struct OomVerdict {
  bool oom = false;
  std::string note;  // a sentence
};

// Of a process that SIGKILL ended, which muster did not send.
OomVerdict judge_kill(const OomFacts& facts, int64_t pid);

// Of a process that failed in another way: a process of its own may have been killed. A sentence; empty: the kernel has killed
// none.
std::string note_on_others(const OomFacts& facts);

class OomEvidence {
 public:
  explicit OomEvidence(std::string cgroup) : cgroup_(std::move(cgroup)) {}

  // Remembers the counts. facts() compares with those before the previous call, some seconds old: a process that was killed just
  // before the last count takes a while to end.
  void count();
  OomFacts facts();

 private:
  struct Counts {
    std::optional<uint64_t> machine;
    std::optional<uint64_t> cgroup;
  };
  Counts read() const;

  const std::string cgroup_;
  const KernelOomKills machine_;
  KernelLog log_;
  std::optional<uint64_t> at_first_;  // the machine's count when the log was opened
  Counts last_;
  Counts before_;
};

}  // namespace muster
