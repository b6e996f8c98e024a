// SPDX-License-Identifier: Apache-2.0
// StateLock: ensures that a state folder has at most one controller. It is an flock on the folder <root> and on <root>/lock, which
// the kernel releases when the holder ends in any way. The file remains and contains the holder's pid. The lock on the folder keeps
// others out if the file is deleted; the lock on the file does so on file systems that cannot lock folders (NFS).
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

  // Makes the file again if it, or the whole folder, was deleted. Call it from time to time. failed_precondition: another
  // process has taken the lock meanwhile, so this one must end. Other errors may pass.
  Status renew();

 private:
  explicit StateLock(std::string root) : root_(std::move(root)) {}
  Status lock_folder();
  Status lock_file();

  std::string root_;
  UniqueFd folder_;
  UniqueFd file_;
};

// The pid of the last holder, for messages; the process may have ended. Empty: the lock was never held.
std::string lock_holder(const std::string& root);

}  // namespace muster
