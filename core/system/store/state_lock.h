// SPDX-License-Identifier: Apache-2.0
// StateLock: ensures that a state folder has at most one controller. It is an flock on <root>/lock, which the kernel
// releases when the holder ends in any way. The file remains and contains the holder's pid.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class StateLock {
 public:
  // Creates `root` (0700) if it is missing. failed_precondition: another process holds the lock; the message has its pid.
  // Children do not inherit the lock.
  static Result<StateLock> take(const std::string& root);

 private:
  explicit StateLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

// The pid of the last holder, for messages; the process may have ended. Empty: the lock was never held.
std::string lock_holder(const std::string& root);

}  // namespace muster
