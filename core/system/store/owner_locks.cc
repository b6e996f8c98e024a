// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/owner_locks.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "core/system/posix/same_file.h"
#include "core/system/store/files.h"

namespace muster::store {
namespace {

std::string path_in(const std::string& folder) { return folder + "/owner"; }

bool lock(const UniqueFd& file) { return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0; }

// Whether the file was made by a process that found none, so recently that the job's host may not have noticed yet.
bool is_disputed(const UniqueFd& file) {
  struct stat info {};
  return ::fstat(file.get(), &info) == 0 && info.st_size > 0 && ::time(nullptr) - info.st_mtime < kDispute.count();
}

// True if there is no file in the folder of a job that exists. Then makes one that says so.
bool begin_dispute(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  constexpr std::string_view kText = "deleted\n";
  return file.valid() && ::write(file.get(), kText.data(), kText.size()) == static_cast<ssize_t>(kText.size());
}

}  // namespace

bool OwnerLocks::take_new(const JobId& job, const std::string& folder, const std::string& final_folder) {
  const std::string path = path_in(folder);
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  // If the disk is full or read-only and the file does not exist, no other process holds the lock.
  if (!file.valid()) return errno == ENOSPC || errno == EDQUOT || errno == EROFS;
  if (!lock(file)) return false;
  held_[job] = Held{std::move(file), path_in(final_folder)};
  return true;
}

bool OwnerLocks::take(const JobId& job, const std::string& folder) {
  const std::string path = path_in(folder);
  if (begin_dispute(path)) return false;
  const UniqueFd file(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));
  if (file.valid() && is_disputed(file)) return false;
  return take_new(job, folder, folder);
}

bool OwnerLocks::renew() {
  return std::all_of(held_.begin(), held_.end(), [](auto& each) { return renew(each.second); });
}

// If the file cannot be opened, nobody else can lock it, or the whole folder is gone.
bool OwnerLocks::renew(Held& held) {
  if (is_still(held.file, held.path)) return true;
  UniqueFd file(::open(held.path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return true;
  if (!lock(file)) return false;
  if (::ftruncate(file.get(), 0) != 0) return true;
  held.file = std::move(file);
  return true;
}

}  // namespace muster::store
