// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/output_extent.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/system/posix/unique_fd.h"

namespace muster::store {
namespace {

constexpr uint64_t kSmallestBlock = 4096;

}  // namespace

uint64_t file_size(const std::string& path) {
  struct stat about {};
  return ::lstat(path.c_str(), &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
}

uint64_t first_kept(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  return fd.valid() ? first_kept(fd.get()) : 0;
}

uint64_t first_kept(int fd) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) return 0;
  const off_t data = about.st_size == 0 ? 0 : ::lseek(fd, 0, SEEK_DATA);
  if (data >= 0) return static_cast<uint64_t>(data);
  return errno == ENXIO ? static_cast<uint64_t>(about.st_size) : 0;
}

Result<uint64_t> drop_before(const std::string& path, uint64_t offset) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return errno_status(errno, path);
  struct stat about {};
  if (::fstat(fd.get(), &about) != 0) return errno_status(errno, path);
  const uint64_t block = std::max(kSmallestBlock, static_cast<uint64_t>(about.st_blksize));
  const uint64_t end = offset / block * block;
  if (end == 0) return 0;
  if (::fallocate(fd.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(end)) != 0) {
    if (errno == EOPNOTSUPP || errno == ENOSYS) {
      return Status(Code::unimplemented,
                    "the file system of " + path + " cannot free the beginning of a file, which logs.max needs");
    }
    return errno_status(errno, path);
  }
  return end;
}

}  // namespace muster::store
