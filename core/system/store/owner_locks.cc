// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/owner_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>

namespace muster::store {

bool OwnerLocks::take(const JobId& job, const std::string& folder) {
  const std::string path = folder + "/owner";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  // If the disk is full or read-only and the file does not exist, no other process holds the lock.
  if (!fd.valid()) return errno == ENOSPC || errno == EDQUOT || errno == EROFS;
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) return false;
  held_[job] = std::move(fd);
  return true;
}

}  // namespace muster::store
