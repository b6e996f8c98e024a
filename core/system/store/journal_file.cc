// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/journal_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "core/system/store/checked_line.h"
#include "core/system/store/files.h"

namespace muster::store {
namespace {

constexpr uint64_t kLineOverhead = 16;  // bytes of checked_line() and the newline, rounded up
constexpr uint64_t kLeastReserve = 64 * 1024;
constexpr uint64_t kMostReserve = 4 * 1024 * 1024;  // beside the least
constexpr uint64_t kReserveStep = 16 * 1024;  // reserves are renewed in steps, so that most lines cost one write(2)

// Keeps damaged bytes for later analysis. Errors are ignored.
void keep_cut(const std::string& folder, std::string_view cut) {
  const UniqueFd fd(
      ::open((folder + "/journal.cut").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return;
  [[maybe_unused]] const ssize_t ignored = ::write(fd.get(), cut.data(), cut.size());
}

}  // namespace

uint64_t journal_reserve(uint64_t first_line) { return kLeastReserve + std::min(8 * first_line, kMostReserve); }

Result<JournalFile::Extent> JournalFile::repair(int fd, const std::string& folder) {
  const Result<std::string> content = read_file(folder + "/journal", kJournalLimit);
  if (!content.ok()) return content.status();
  const JournalText text = parse_journal(*content);
  if (text.newer) {
    return Status(Code::failed_precondition,
                  folder + "/journal was written by a newer version of muster; use that version for this job");
  }
  const Extent whole{text.whole_bytes, text.lines.empty() ? 0 : text.lines[0].size()};
  const std::string_view cut = std::string_view(*content).substr(text.whole_bytes);
  if (cut.empty()) return whole;
  if (cut.find('\n') != std::string_view::npos) keep_cut(folder, cut);
  if (::ftruncate(fd, static_cast<off_t>(text.whole_bytes)) != 0) return write_failure(errno, folder);
  return whole;
}

JournalFile::JournalFile(std::string folder, UniqueFd fd, Extent extent, WriteCall write_call)
    : folder_(std::move(folder)),
      write_call_(std::move(write_call)),
      fd_(std::move(fd)),
      size_(extent.bytes),
      first_line_(extent.first_line) {}

Result<JournalFile> JournalFile::open(const std::string& folder, WriteCall write_call) {
  const std::string path = folder + "/journal";
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return errno == ENOENT ? errno_status(errno, path) : write_failure(errno, folder);
  const Result<Extent> extent = repair(fd.get(), folder);
  if (!extent.ok()) return extent.status();
  return JournalFile(folder, std::move(fd), *extent, std::move(write_call));
}

Status JournalFile::append(std::string_view payload, bool lasting) {
  if (size_ == 0) first_line_ = payload.size();
  const Status reserved = reserve(payload.size() + kLineOverhead);
  return reserved.ok() ? write_checked(payload, lasting) : reserved;
}

Status JournalFile::append_last(std::string_view payload, bool lasting) {
  static_cast<void>(reserve(payload.size() + kLineOverhead));
  return write_checked(payload, lasting);
}

// Allocates blocks for `bytes` more, and the reserve behind them.
Status JournalFile::reserve(uint64_t bytes) {
  const uint64_t wanted = size_ + bytes + journal_reserve(first_line_);
  if (!can_reserve_ || wanted <= reserved_to_) return Status();
  const uint64_t to = (wanted + kReserveStep - 1) / kReserveStep * kReserveStep;
  int failed = 0;
  do {
    failed = ::fallocate(fd_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(size_), static_cast<off_t>(to - size_));
  } while (failed != 0 && errno == EINTR);
  if (failed != 0 && (errno == ENOSPC || errno == EDQUOT)) return write_failure(errno, folder_);
  can_reserve_ = failed == 0;
  reserved_to_ = to;
  return Status();
}

Status JournalFile::write_checked(std::string_view payload, bool lasting) {
  if (payload.size() > JournalStore::kLongestLine || payload.find('\n') != std::string_view::npos) {
    return Status(Code::invalid_argument, "a journal line has a line end or is longer than 64 MiB");
  }
  const std::string line = checked_line(payload) + "\n";
  Status written = write_line(line);
  if (written.ok() && lasting) written = sync();
  if (written.ok()) {
    size_ += line.size();
  } else {
    cut_off_rest();
  }
  return written;
}

// The caller will append the line again, so no part of it may remain. Truncation frees the reserve too.
void JournalFile::cut_off_rest() {
  struct stat file {};
  if (::fstat(fd_.get(), &file) == 0 && static_cast<uint64_t>(file.st_size) == size_) return;
  [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), static_cast<off_t>(size_));
  reserved_to_ = 0;
  static_cast<void>(reserve(0));
}

Status JournalFile::write_line(const std::string& line) {
  ssize_t count = -1;
  do {
    count = write_call_(fd_.get(), line.data(), line.size());
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(line.size())) return Status();
  // A short write to a local file means that the disk is full (write(2)).
  return write_failure(count < 0 ? errno : ENOSPC, folder_);
}

Status JournalFile::sync() {
  if (::fdatasync(fd_.get()) != 0) return write_failure(errno, folder_);
  if (names_synced_) return Status();
  // The first sync also makes the record and the folders durable, which create() did not.
  Status synced = sync_file(folder_ + "/record");
  if (synced.ok()) synced = sync_folder(folder_);
  if (synced.ok()) synced = sync_folder(std::filesystem::path(folder_).parent_path());
  names_synced_ = synced.ok();
  return synced;
}

}  // namespace muster::store
