// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/file_output_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/files.h"
#include "core/system/store/output/output_extent.h"

namespace muster {
namespace {

constexpr size_t kReadLimit = 16 * 1024 * 1024;

}  // namespace

FileOutputFiles::FileOutputFiles(std::string root, FdLoop& loop, std::vector<std::string> ignored)
    : root_(std::move(root)),
      watches_(loop, std::move(ignored)) {}

std::string FileOutputFiles::folder_in(const std::string& root, const JobId& job, Attempt attempt) {
  return root + "/jobs/" + job.text() + "/attempt-" + std::to_string(attempt);
}

Result<std::string> FileOutputFiles::path(const JobId& job, Attempt attempt, const std::string& rank_file,
                                          OutputStream stream) {
  if (!store::is_plain_name(rank_file)) {
    return Status(Code::invalid_argument, "`" + rank_file + "` is not a valid name of a rank's output file");
  }
  const std::string place = folder_in(root_, job, attempt);
  // If this fails, as on a full disk, the writer of the file finds out why (OutputKeeper::create).
  if (place != made_ && store::make_folders(place).ok()) made_ = place;
  return place + "/" + rank_file + ending_of(stream);
}

Result<std::string> FileOutputFiles::read(const std::string& path, uint64_t offset, size_t limit) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid() && errno == ENOENT) return std::string();
  if (!fd.valid()) return errno_status(errno, path);
  // Most reads return few bytes, so the buffer is reused.
  const size_t most = std::min(limit, kReadLimit);
  if (buffer_.size() < most) buffer_.resize(most);
  ssize_t count = 0;
  do {
    count = ::pread(fd.get(), buffer_.data(), most, static_cast<off_t>(offset));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return errno_status(errno, path);
  return std::string(buffer_.data(), static_cast<size_t>(count));
}

uint64_t FileOutputFiles::size(const std::string& path) const { return looked_at_.file_size(path); }

uint64_t FileOutputFiles::first_kept(const std::string& path) const { return store::first_kept(path); }

std::unique_ptr<OutputWatch> FileOutputFiles::watch(const JobId& job, Attempt attempt, OutputChanged changed) {
  const std::string place = folder_in(root_, job, attempt);
  (void)store::make_folders(place);  // if this fails, the watch polls
  return watches_.watch(place, std::move(changed));
}

std::unique_ptr<OutputWatch> FileOutputFiles::watch_writes(const std::vector<std::string>& paths,
                                                           OutputChanged changed) {
  const std::string& first = paths.front();
  return watches_.watch(first.substr(0, first.rfind('/')), std::move(changed), paths);
}

}  // namespace muster
