// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/file_near_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/output/output_extent.h"

namespace muster {
namespace {

uint64_t length_from(int fd, uint64_t offset) {
  struct stat about {};
  const uint64_t size = ::fstat(fd, &about) == 0 ? static_cast<uint64_t>(about.st_size) : 0;
  return size > offset ? size - offset : 0;
}

ssize_t read_at(int fd, uint64_t offset, std::string& bytes) {
  ssize_t count = 0;
  do {
    count = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  return count;
}

}  // namespace

// The agent may drop bytes at any time, so the beginning of the file's data is checked after reading.
Status FileNearFiles::read(const std::string& path, uint64_t offset, size_t limit, std::string& bytes) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid() && errno == ENOENT) return Status(Code::not_found, path);
  if (!fd.valid()) return errno_status(errno, path);
  bytes.resize(std::min<uint64_t>(limit, length_from(fd.get(), offset)));
  const ssize_t count = read_at(fd.get(), offset, bytes);
  if (count < 0) return errno_status(errno, path);
  bytes.resize(static_cast<size_t>(count));
  const bool there = count > 0 && store::first_kept(fd.get()) <= offset;
  return there ? Status() : Status(Code::data_loss, path + " has no bytes at " + std::to_string(offset));
}

}  // namespace muster
