// JournalFile: one job's journal, open for appending. One checked line per write(2), so that a reader or a crash
// sees whole lines and at most one torn tail. Opening repairs what a crash left. Part of adapter/store only.
//
// One writer per file (the job's coordinator); readers may come at any time. Loop thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster::store {

// write(2), or a test's stand-in for a disk that fills.
using WriteCall = std::function<ssize_t(int fd, const void* bytes, size_t count)>;

constexpr uint64_t kJournalLimit = 1ULL << 30;
constexpr size_t kLineLimit = 16 * 1024 * 1024;

class JournalFile {
 public:
  // folder/journal, made when it is missing. Cuts off what follows the last whole line, so that lines appended now
  // can be read; unless that was one unfinished line, it is kept in folder/journal.cut. not_found: no such folder;
  // failed_precondition: a newer muster wrote there.
  static Result<JournalFile> open(const std::string& folder, WriteCall write_call);

  // `lasting`: the line, and with the first the job's record and folder, are durable before it returns. After a
  // failure the file is as it was before, as far as the disk allows; close and open it before the next append.
  // invalid_argument: `payload` holds a newline or is above kLineLimit.
  Status append(std::string_view payload, bool lasting);
  // The lines so far, likewise.
  Status sync();

 private:
  JournalFile(std::string folder, UniqueFd fd, uint64_t size, WriteCall write_call);
  Status write_line(const std::string& line);

  std::string folder_;
  WriteCall write_call_;
  UniqueFd fd_;
  uint64_t size_;
  bool names_synced_ = false;
};

}  // namespace muster::store
