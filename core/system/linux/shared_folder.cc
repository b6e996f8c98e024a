// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/shared_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "core/system/posix/same_file.h"

namespace muster {
namespace {

constexpr size_t kMostNotices = 4096;
constexpr size_t kLongestNotice = 64 << 10;

Status unsafe_folder(const std::string& path, const std::string& why) {
  return Status(Code::failed_precondition, path + " " + why + "; remove it, or ask its owner to");
}

// " (user 1001, mode 0700)", as far as it is known.
std::string owner_of(const std::string& path) {
  struct stat info {};
  char text[64] = "";
  if (lstat(path.c_str(), &info) == 0)
    std::snprintf(text, sizeof text, " (user %u, mode %04o)", info.st_uid, info.st_mode & 07777);
  return text;
}

Status check_folder(const UniqueFd& folder, const std::string& path) {
  struct stat info {};
  if (fstat(folder.get(), &info) != 0) return errno_status(errno, path);
  // Only the owner can change the mode, and must: mkdir(2) applies the umask.
  if (info.st_uid == geteuid() && (info.st_mode & 07777) != 01777) fchmod(folder.get(), 01777);
  fstat(folder.get(), &info);
  if ((info.st_mode & 01777) != 01777) return unsafe_folder(path, "is not writable by all and sticky" + owner_of(path));
  return Status();
}

// With O_CREAT alone the kernel refuses other users' files in sticky folders (fs.protected_regular, proc(5)). So opening
// and creating are two steps, repeated if another process creates or removes the file in between.
UniqueFd open_or_make(int folder, const std::string& name) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  for (int attempt = 0; attempt < 8; ++attempt) {
    UniqueFd file(openat(folder, name.c_str(), kFlags));
    if (file.valid() || errno != ENOENT) return file;
    file = UniqueFd(openat(folder, name.c_str(), kFlags | O_CREAT | O_EXCL, 0666));
    if (file.valid()) fchmod(file.get(), 0666);
    if (file.valid() || errno != EEXIST) return file;
  }
  return UniqueFd();
}

// Whether the name still refers to the file that we locked: its last holder may have removed it in between.
bool is_current(int folder, const std::string& name, const UniqueFd& file) {
  struct stat locked {};
  if (fstat(file.get(), &locked) != 0 || !S_ISREG(locked.st_mode)) return false;
  if (locked.st_nlink != 1)
    return false;  // removed, or another user's hard link to a file of ours, which signing would empty
  return is_still(file, name, AT_SYMLINK_NOFOLLOW, folder);
}

void sign(const UniqueFd& file) {
  const std::string text = std::to_string(getpid()) + "\n";
  if (ftruncate(file.get(), 0) != 0) return;
  [[maybe_unused]] const ssize_t written = pwrite(file.get(), text.data(), text.size(), 0);
}

}  // namespace

// Removed while it is locked, so no other process can have signed it. In a sticky folder only the owner can remove it. If a cleaner of
// /tmp has removed it, the name may belong to another holder by now.
FileLock::~FileLock() {
  if (is_current(folder_, name_, file_)) unlinkat(folder_, name_.c_str(), 0);
}

Result<std::unique_ptr<SharedFolder>> SharedFolder::open(const std::string& path) {
  if (mkdir(path.c_str(), 01777) != 0 && errno != EEXIST) return errno_status(errno, path);
  UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid() && (errno == ELOOP || errno == ENOTDIR)) return unsafe_folder(path, "is not a folder");
  if (!folder.valid() && errno == EACCES) return unsafe_folder(path, "is closed to other users" + owner_of(path));
  if (!folder.valid()) return errno_status(errno, path);
  if (const Status status = check_folder(folder, path); !status.ok()) return status;
  return std::unique_ptr<SharedFolder>(new SharedFolder(std::move(folder)));
}

Result<std::unique_ptr<FileLock>> SharedFolder::try_lock(const std::string& name) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    UniqueFd file = open_or_make(folder_.get(), name);
    if (!file.valid()) return errno_status(errno, "cannot open the lock " + name);
    if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::unique_ptr<FileLock>();
    if (!is_current(folder_.get(), name, file)) continue;
    sign(file);
    return std::make_unique<FileLock>(folder_.get(), name, std::move(file));
  }
  return std::unique_ptr<FileLock>();
}

bool SharedFolder::is_locked(const std::string& name) const {
  const UniqueFd file(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return file.valid() && flock(file.get(), LOCK_SH | LOCK_NB) != 0;
}

// Written and locked under a temporary name: a process that finds the final name finds a complete and locked file.
Result<std::unique_ptr<FileLock>> SharedFolder::publish(const std::string& name, const std::string& text) {
  const std::string hidden = ".new-" + name;
  unlinkat(folder_.get(), hidden.c_str(), 0);
  UniqueFd file(openat(folder_.get(), hidden.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return errno_status(errno, "cannot make " + name);
  fchmod(file.get(), 0644);
  const bool written = pwrite(file.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size());
  const bool ready = written && flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
                     renameat(folder_.get(), hidden.c_str(), folder_.get(), name.c_str()) == 0;
  if (ready) return std::make_unique<FileLock>(folder_.get(), name, std::move(file));
  const int error = errno;
  unlinkat(folder_.get(), hidden.c_str(), 0);
  return errno_status(error, "cannot write " + name);
}

// None: no process holds it. Removes a stale file if it is ours.
std::optional<SharedFolder::Notice> SharedFolder::notice(const std::string& name) const {
  const UniqueFd file(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file.valid() || fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (flock(file.get(), LOCK_SH | LOCK_NB) == 0) {
    unlinkat(folder_.get(), name.c_str(), 0);
    return std::nullopt;
  }
  std::string text(kLongestNotice, '\0');
  const ssize_t size = pread(file.get(), text.data(), text.size(), 0);
  if (size <= 0) return std::nullopt;
  text.resize(static_cast<size_t>(size));
  return Notice{std::move(text), info.st_uid};
}

std::vector<std::string> SharedFolder::names(const std::string& prefix) const {
  std::vector<std::string> found;
  const int copy = openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* stream = copy < 0 ? nullptr : fdopendir(copy);
  if (stream == nullptr) return found;
  while (const dirent* entry = readdir(stream)) {
    if (std::string_view(entry->d_name).starts_with(prefix)) found.emplace_back(entry->d_name);
  }
  closedir(stream);
  return found;
}

std::vector<SharedFolder::Notice> SharedFolder::notices(const std::string& prefix) const {
  std::vector<Notice> found;
  for (const std::string& name : names(prefix)) {
    if (found.size() >= kMostNotices) break;
    if (auto one = notice(name)) found.push_back(std::move(*one));
  }
  return found;
}

// A process that has just opened a file that is being removed notices that the name no longer refers to it, and creates it anew.
void SharedFolder::sweep(const std::string& prefix) const {
  for (const std::string& name : names(prefix)) {
    const UniqueFd file(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat info {};
    const bool ours =
        file.valid() && fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
    if (!ours || flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (is_current(folder_.get(), name, file)) unlinkat(folder_.get(), name.c_str(), 0);
  }
}

std::optional<int64_t> SharedFolder::holder(const std::string& name) const {
  const UniqueFd file(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  char text[24] = "";
  if (!file.valid() || pread(file.get(), text, sizeof text - 1, 0) <= 0) return std::nullopt;
  const int64_t pid = std::atoll(text);
  return pid > 0 ? std::optional(pid) : std::nullopt;
}

}  // namespace muster
