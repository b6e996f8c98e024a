// SPDX-License-Identifier: Apache-2.0
// JournalFile: one job's journal, open for appending. It writes one checked line per write(2), so that a reader, or the
// file after a crash, has whole lines and at most one incomplete line at the end. Opening repairs the file. Used only in
// core/system/store.
//
// Behind its end, the file has reserved disk blocks (fallocate(2), FALLOC_FL_KEEP_SIZE), so that a job that ends on a full disk
// can still write its end. A file system that cannot reserve blocks, such as NFS, has none.
//
// One writer per file (the job's coordinator); others may read at any time. Loop thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/port/job_store.h"
#include "core/system/posix/unique_fd.h"

namespace muster::store {

// write(2), or a function of a test that simulates a full disk.
using WriteCall = std::function<ssize_t(int fd, const void* bytes, size_t count)>;

constexpr uint64_t kJournalLimit = 1ULL << 30;
// Bytes that are reserved for the last lines of a job whose first line has this size. Both grow with the number of ranks.
uint64_t journal_reserve(uint64_t first_line);

class JournalFile {
 public:
  // Opens folder/journal; creates it if it is missing. Cuts off everything after the last whole line, so that new lines
  // are readable. If that is more than one incomplete line, it is kept in folder/journal.cut. not_found: no such folder.
  // failed_precondition: a newer version of muster wrote the journal.
  static Result<JournalFile> open(const std::string& folder, WriteCall write_call);

  // `lasting`: the line is durable when the call returns; the first such call also makes the job's record and folder
  // durable. A failure leaves the file unchanged if possible; open it again before the next append. invalid_argument:
  // `payload` contains a newline or is longer than JournalStore::kLongestLine. resource_exhausted: the reserve cannot be kept behind the line.
  Status append(std::string_view payload, bool lasting);
  // The same for one of the job's last lines, which may use the reserve.
  Status append_last(std::string_view payload, bool lasting);
  // Makes all lines so far durable.
  Status sync();

 private:
  // The whole lines of a file.
  struct Extent {
    uint64_t bytes = 0;
    uint64_t first_line = 0;
  };

  JournalFile(std::string folder, UniqueFd fd, Extent extent, WriteCall write_call);
  static Result<Extent> repair(int fd, const std::string& folder);
  Status write_checked(std::string_view payload, bool lasting);
  Status write_line(const std::string& line);
  Status reserve(uint64_t bytes);
  void cut_off_rest();

  std::string folder_;
  WriteCall write_call_;
  UniqueFd fd_;
  uint64_t size_;
  uint64_t first_line_;  // bytes; 0: there is none
  bool names_synced_ = false;
  bool can_reserve_ = true;
  uint64_t reserved_to_ = 0;  // blocks are allocated up to this offset, as far as this object knows
};

}  // namespace muster::store
