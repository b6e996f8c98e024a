// SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/files.h"

namespace muster::store {
namespace {

// Each level holds a descriptor, so that no path is resolved twice.
constexpr int kDeepest = 256;

void keep_first(Status& first, const Status& next) {
  if (first.ok()) first = next;
}

Status remove_at(int parent, const std::string& name, const std::string& shown, int depth);

Status empty_folder(DIR* folder, const std::string& shown, int depth) {
  Status first;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(folder);
    if (entry == nullptr) {
      if (errno != 0) keep_first(first, errno_status(errno, "cannot list " + shown));
      return first;
    }
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    keep_first(first, remove_at(::dirfd(folder), entry->d_name, shown + "/" + entry->d_name, depth + 1));
  }
}

Status remove_at(int parent, const std::string& name, const std::string& shown, int depth) {
  if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return Status();
  if (errno != EISDIR && errno != EPERM) return errno_status(errno, "cannot remove " + shown);
  if (depth > kDeepest)
    return Status(Code::resource_exhausted, "cannot remove " + shown + ": it has more than 256 levels");
  const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
  if (folder == nullptr) {
    const int error = errno;
    if (fd >= 0) ::close(fd);
    if (error == ENOENT) return Status();  // another process removes it too
    return errno_status(error, "cannot remove " + shown);
  }
  const Status emptied = empty_folder(folder, shown, depth);
  ::closedir(folder);
  if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return Status();
  return emptied.ok() ? errno_status(errno, "cannot remove " + shown) : emptied;
}

}  // namespace

Status remove_tree(const std::string& folder, const std::string& name) {
  const UniqueFd parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!parent.valid()) return errno == ENOENT ? Status() : errno_status(errno, "cannot open " + folder);
  return remove_at(parent.get(), name, folder + "/" + name, 0);
}

}  // namespace muster::store
