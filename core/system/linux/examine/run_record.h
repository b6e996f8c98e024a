// SPDX-License-Identifier: Apache-2.0
// RunRecord: tells whether the main thread of a process has run since the record was made. If it has not, its state is unchanged: it
// can neither stop, end nor wait for something else. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster {

class RunRecord {
 public:
  // Starts a record now. None: the process is gone, or the kernel has no such statistics. Keeps a descriptor, which is
  // not affected by pid reuse.
  static std::optional<RunRecord> of(pid_t pid);

  // True: the thread has not run; it may have been woken and wait for a CPU. False: it has run, or the process is gone.
  bool has_rested() const;

 private:
  RunRecord(UniqueFd file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

  UniqueFd file_;
  std::string text_;
};

}  // namespace muster
