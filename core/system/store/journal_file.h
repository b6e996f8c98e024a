// SPDX-License-Identifier: Apache-2.0
// JournalFile: one job's journal, open for appending. It writes one checked line per write(2), so that a reader, or the
// file after a crash, has whole lines and at most one incomplete line at the end. Opening repairs the file. Used only in
// core/system/store.
//
// One writer per file (the job's coordinator); others may read at any time. Loop thread only.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/system/posix/unique_fd.h"

namespace muster::store {

// write(2), or a function of a test that simulates a full disk.
using WriteCall = std::function<ssize_t(int fd, const void* bytes, size_t count)>;

constexpr uint64_t kJournalLimit = 1ULL << 30;
constexpr size_t kLineLimit = 16 * 1024 * 1024;

class JournalFile {
 public:
  // Opens folder/journal; creates it if it is missing. Cuts off everything after the last whole line, so that new lines
  // are readable. If that is more than one incomplete line, it is kept in folder/journal.cut. not_found: no such folder.
  // failed_precondition: a newer version of muster wrote the journal.
  static Result<JournalFile> open(const std::string& folder, WriteCall write_call);

  // `lasting`: the line is durable when the call returns; the first such call also makes the job's record and folder
  // durable. A failure leaves the file unchanged if possible; open it again before the next append. invalid_argument:
  // `payload` contains a newline or is larger than kLineLimit.
  Status append(std::string_view payload, bool lasting);
  // Makes all lines so far durable.
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
