// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/files.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/base/text.h"
#include "core/system/posix/unique_fd.h"

namespace muster::store {

Status make_folders(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return Status();
  const std::string parent = std::filesystem::path(folder).parent_path();
  if (errno != ENOENT || parent.empty() || parent == folder) return write_failure(errno, folder);
  if (const Status made = make_folders(parent); !made.ok()) return made;
  if (::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return Status();
  return write_failure(errno, folder);
}

Status sync_folder(const std::string& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) return write_failure(errno, folder);
  return Status();
}

void spread_folders(const std::string& folder) {
  const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  int flags = 0;
  if (!fd.valid() || ::ioctl(fd.get(), FS_IOC_GETFLAGS, &flags) != 0 || (flags & FS_TOPDIR_FL) != 0) return;
  flags |= FS_TOPDIR_FL;
  ::ioctl(fd.get(), FS_IOC_SETFLAGS, &flags);
}

Status sync_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid() && errno == ENOENT) return Status();
  if (!fd.valid() || ::fsync(fd.get()) != 0) return write_failure(errno, path);
  return Status();
}

bool is_plain_name(std::string_view name) {
  constexpr size_t kLongest = 128;
  const auto plain = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_' ||
           c == '-';
  };
  if (name.empty() || name.size() > kLongest || name[0] == '.' || name[0] == '-') return false;
  return std::all_of(name.begin(), name.end(), plain);
}

Result<std::string> read_file(const std::string& path, uint64_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.valid()) return errno_status(errno, path);
  std::string content;
  constexpr size_t kBlock = 64 * 1024;
  while (content.size() <= limit) {
    const size_t before = content.size();
    content.resize(before + kBlock);
    const ssize_t count = ::read(fd.get(), content.data() + before, kBlock);
    content.resize(before + static_cast<size_t>(count < 0 ? 0 : count));
    if (count < 0 && errno != EINTR) return errno_status(errno, path);
    if (count == 0) return content;
  }
  return Status(Code::resource_exhausted, path + " is larger than " + humane_size(limit));
}

namespace {

Status write_all(int fd, std::string_view content, const std::string& folder) {
  while (!content.empty()) {
    const ssize_t count = ::write(fd, content.data(), content.size());
    if (count < 0 && errno != EINTR) return write_failure(errno, folder);
    if (count > 0) content.remove_prefix(static_cast<size_t>(count));
  }
  return Status();
}

}  // namespace

Status replace_file(const std::string& folder, const std::string& name, std::string_view content) {
  const std::string path = folder + "/" + name;
  const std::string fresh = folder + "/." + name + ".new";
  ::unlink(fresh.c_str());  // left by a process that died here
  UniqueFd fd(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return write_failure(errno, folder);
  Status written = write_all(fd.get(), content, folder);
  if (written.ok() && ::rename(fresh.c_str(), path.c_str()) != 0) written = write_failure(errno, folder);
  if (!written.ok()) ::unlink(fresh.c_str());
  return written;
}

bool empty_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  return fd.valid() && ::ftruncate(fd.get(), 0) == 0;
}

void remove_half_written(const std::string& folder) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename();
    if (name.starts_with('.') && name.ends_with(".new")) ::unlink(entry.path().c_str());
  }
}

}  // namespace muster::store
