// RunRecord: whether a process's main thread was given a CPU since. What has not run is in the state in which it was: it can neither
// stop, end nor wait for something else. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/system/posix/unique_fd.h"

namespace muster {

class RunRecord {
 public:
  // From here on. None: it is gone, or this kernel does not tell. Keeps a descriptor, which never means another process.
  static std::optional<RunRecord> of(pid_t pid);

  // False also when it is gone. Who was woken and waits for a CPU has not run.
  bool has_rested() const;

 private:
  RunRecord(UniqueFd file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

  UniqueFd file_;
  std::string text_;
};

}  // namespace muster
