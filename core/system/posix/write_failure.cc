// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/write_failure.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "core/base/text.h"

namespace muster {
namespace {

// Of the folder, or of its nearest parent that exists.
std::optional<struct statvfs> disk_of(std::string folder) {
  struct statvfs disk {};
  while (::statvfs(folder.c_str(), &disk) != 0) {
    const size_t slash = folder.rfind('/');
    if (errno != ENOENT || slash == std::string::npos || folder == "/") return std::nullopt;
    folder.resize(slash == 0 ? 1 : slash);
  }
  return disk;
}

// A file system without a limit of inodes has f_files 0 (statvfs(3)).
bool lacks_inodes(const struct statvfs& disk) { return disk.f_files > 0 && disk.f_favail == 0 && disk.f_bavail > 0; }

}  // namespace

Status write_failure(int error_number, const std::string& folder) {
  const std::string what = "cannot write to " + folder;
  if (error_number != ENOSPC && error_number != EDQUOT) return errno_status(error_number, what);
  const std::optional<struct statvfs> disk = disk_of(folder);
  const std::string free = disk ? humane_size(disk->f_bavail * disk->f_frsize) : "";
  if (error_number == ENOSPC && disk && lacks_inodes(*disk))
    return Status(Code::resource_exhausted, what + ": no inodes are left on the disk for new files (0 free of " +
                                                std::to_string(disk->f_files) + "), although " + free +
                                                " are free. Delete some files");
  const char* cause = error_number == EDQUOT ? "your quota is used up" : "the disk is full";
  const std::string room = disk ? " (" + free + " free of " + humane_size(disk->f_blocks * disk->f_frsize) + ")" : "";
  return Status(Code::resource_exhausted, what + ": " + cause + room);
}

// Some file systems count no blocks (f_blocks 0). Root may use the blocks that are reserved for it.
bool is_disk_full(const std::string& folder) {
  const std::optional<struct statvfs> disk = disk_of(folder);
  return disk && disk->f_blocks > 0 && (::geteuid() == 0 ? disk->f_bfree : disk->f_bavail) == 0;
}

}  // namespace muster
