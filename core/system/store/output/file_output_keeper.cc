// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/file_output_keeper.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "core/system/posix/unique_fd.h"
#include "core/system/store/files.h"
#include "core/system/store/output/output_extent.h"

namespace muster {
namespace {

// Invalid: errno says why. Creates the attempt's folder if it is missing, but not the job's: that of a removed job stays
// removed.
UniqueFd open_to_write(const std::string& path, int flags) {
  const int all = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags;
  UniqueFd fd(::open(path.c_str(), all, 0600));
  if (fd.valid() || errno != ENOENT) return fd;
  const std::string folder = std::filesystem::path(path).parent_path();
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return fd;
  return UniqueFd(::open(path.c_str(), all, 0600));
}

}  // namespace

uint64_t FileOutputKeeper::size(const std::string& path) const { return folder_.file_size(path); }

Status FileOutputKeeper::room(const std::string& path) const {
  const std::string folder = std::filesystem::path(path).parent_path();
  return is_disk_full(folder) ? store::write_failure(ENOSPC, folder) : Status();
}

Status FileOutputKeeper::create(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path();
  if (open_to_write(path, O_APPEND).valid()) return Status();
  if (errno != ENOENT || folder.empty()) return store::write_failure(errno, folder);
  if (const Status made = store::make_folders(folder); !made.ok()) return made;
  return open_to_write(path, O_APPEND).valid() ? Status() : store::write_failure(errno, folder);
}

Status FileOutputKeeper::append(const std::string& path, std::string_view bytes) {
  const std::string folder = std::filesystem::path(path).parent_path();
  const UniqueFd fd = open_to_write(path, O_APPEND);
  if (!fd.valid()) return store::write_failure(errno, folder);
  const ssize_t count = ::write(fd.get(), bytes.data(), bytes.size());
  if (count == static_cast<ssize_t>(bytes.size())) return Status();
  return store::write_failure(count < 0 ? errno : ENOSPC, folder);
}

Status FileOutputKeeper::begin_at(const std::string& path, uint64_t offset) {
  const std::string folder = std::filesystem::path(path).parent_path();
  const UniqueFd fd = open_to_write(path, 0);
  const bool done =
      fd.valid() && ::ftruncate(fd.get(), 0) == 0 && ::ftruncate(fd.get(), static_cast<off_t>(offset)) == 0;
  return done ? Status() : store::write_failure(errno, folder);
}

// Removes files by name, since the folder may also have files of other nodes of the job.
void FileOutputKeeper::remove_rank(const std::string& path) {
  const std::filesystem::path rank = std::filesystem::path(path).replace_extension();
  const std::string prefix = rank.filename().string() + ".";
  const std::filesystem::path attempt = rank.parent_path();
  std::error_code error;
  std::vector<std::filesystem::path> own;
  for (std::filesystem::directory_iterator at(attempt, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(prefix)) own.push_back(at->path());
  }
  for (const std::filesystem::path& file : own) ::unlink(file.c_str());
  if (::rmdir(attempt.c_str()) == 0) ::rmdir(attempt.parent_path().c_str());
}

Result<uint64_t> FileOutputKeeper::drop_before(const std::string& path, uint64_t offset) {
  return store::drop_before(path, offset);
}

}  // namespace muster
