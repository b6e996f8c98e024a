// StateLock: at most one controller per state folder: an flock on <root>/lock, which the kernel gives back however
// the holder ends. The file stays and tells the holder's pid.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

class StateLock {
 public:
  // Makes `root` (0700) when it is missing. failed_precondition names the pid of who holds it. Children do not
  // inherit it.
  static Result<StateLock> take(const std::string& root);

 private:
  explicit StateLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

// The pid that the newest holder wrote, for people; it may be gone. Empty: nobody ever held it.
std::string lock_holder(const std::string& root);

}  // namespace muster
