// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/journal_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/system/store/checked_line.h"
#include "core/system/store/files.h"

namespace muster::store {
namespace {

// Keeps damaged bytes for later analysis. Errors are ignored.
void keep_cut(const std::string& folder, std::string_view cut) {
  const UniqueFd fd(
      ::open((folder + "/journal.cut").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return;
  [[maybe_unused]] const ssize_t ignored = ::write(fd.get(), cut.data(), cut.size());
}

// Returns the size of the repaired file.
Result<uint64_t> repair(int fd, const std::string& folder) {
  const Result<std::string> content = read_file(folder + "/journal", kJournalLimit);
  if (!content.ok()) return content.status();
  const JournalText text = parse_journal(*content);
  if (text.newer) {
    return Status(Code::failed_precondition,
                  folder + "/journal was written by a newer version of muster; use that version for this job");
  }
  const std::string_view cut = std::string_view(*content).substr(text.whole_bytes);
  if (cut.empty()) return text.whole_bytes;
  if (cut.find('\n') != std::string_view::npos) keep_cut(folder, cut);
  if (::ftruncate(fd, static_cast<off_t>(text.whole_bytes)) != 0) return write_failure(errno, folder);
  return text.whole_bytes;
}

}  // namespace

JournalFile::JournalFile(std::string folder, UniqueFd fd, uint64_t size, WriteCall write_call)
    : folder_(std::move(folder)),
      write_call_(std::move(write_call)),
      fd_(std::move(fd)),
      size_(size) {}

Result<JournalFile> JournalFile::open(const std::string& folder, WriteCall write_call) {
  const std::string path = folder + "/journal";
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return errno == ENOENT ? errno_status(errno, path) : write_failure(errno, folder);
  const Result<uint64_t> size = repair(fd.get(), folder);
  if (!size.ok()) return size.status();
  return JournalFile(folder, std::move(fd), *size, std::move(write_call));
}

Status JournalFile::append(std::string_view payload, bool lasting) {
  if (payload.size() > kLineLimit || payload.find('\n') != std::string_view::npos) {
    return Status(Code::invalid_argument, "a journal line has a line end or is larger than 16 MiB");
  }
  const std::string line = checked_line(payload) + "\n";
  Status written = write_line(line);
  if (written.ok() && lasting) written = sync();
  if (written.ok()) {
    size_ += line.size();
  } else {
    // The caller will append the line again, so no part of it may remain.
    [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), static_cast<off_t>(size_));
  }
  return written;
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
