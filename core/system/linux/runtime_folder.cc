// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/runtime_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/text.h"
#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

Status unsafe(const std::string& path, const std::string& why) {
  return Status(Code::failed_precondition, escaped(path) + " " + why + "; sockets there would not be safe: remove it");
}

}  // namespace

Status make_private_folder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return errno_status(errno, escaped(path));
  const UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.valid() && (errno == ELOOP || errno == ENOTDIR)) return unsafe(path, "is not a folder");
  struct stat info {};
  if (!folder.valid() || fstat(folder.get(), &info) != 0) return errno_status(errno, escaped(path));
  if (info.st_uid != geteuid()) return unsafe(path, "belongs to user " + std::to_string(info.st_uid));
  if ((info.st_mode & 0777) == 0700) return Status();
  if (fchmod(folder.get(), 0700) != 0) return errno_status(errno, escaped(path));
  return Status();
}

std::string runtime_folder_path() { return "/tmp/muster-" + std::to_string(geteuid()); }

Result<std::string> runtime_folder() {
  const std::string folder = runtime_folder_path();
  if (const Status status = make_private_folder(folder); !status.ok()) return status;
  return folder;
}

}  // namespace muster
