// SPDX-License-Identifier: Apache-2.0
// CodeOrder: the message, one line of JSON, that announces the code of a job to a host before it is sent. Values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// In muster's folder on a host: it has a folder for each job, named by the job's id, with the code, in which ranks
// start.
inline constexpr const char* kCodeFolder = "code";
inline std::string code_folder_of(const std::string& job) { return std::string(kCodeFolder) + "/" + job; }

// In muster's folder on a host: results of `setup` for these folders.
inline constexpr const char* kSetupFolder = "setup";

// The code that ranks get as their working folder on hosts that do not have the folder of the submitting machine.
struct JobCode {
  std::string hash;    // of the snapshot's archive; empty: no snapshot, the hosts have the folder
  std::string folder;  // the folder of the snapshot
  bool operator==(const JobCode&) const = default;
};

struct CodeOrder {
  std::string job;   // its id
  std::string hash;  // of the archive: 32 hexadecimal digits
  uint64_t archive_bytes = 0;
  std::string folder;         // of the code on the machine that sends it
  uint64_t inode = 0;         // of that folder: with `changed_nanos`, a host recognizes that it has the same folder
  int64_t changed_nanos = 0;  // st_ctime of that folder, since the UNIX epoch
  bool operator==(const CodeOrder&) const = default;
};

// One line without a newline.
std::string to_line(const CodeOrder& order);

// invalid_argument if the line is not a valid order. Job and hash are checked, because they are used in paths.
Result<CodeOrder> code_order_from(std::string_view line);

// Whether `text` is 32 hexadecimal digits.
bool is_code_hash(std::string_view text);

}  // namespace muster
