// A job's code that travels, and CodeOrder: what a host is told of it before it is sent, a line of JSON. Values; pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace muster {

// Below muster's own folder on a host: a folder for each job by its id, where its code was unpacked and its ranks begin.
inline constexpr const char* kCodeFolder = "code";
inline std::string code_folder_of(const std::string& job) { return std::string(kCodeFolder) + "/" + job; }

// Beside it: what was set up for such folders.
inline constexpr const char* kSetupFolder = "setup";

// What a job's ranks find as their working folder where they do not have the submitting machine's.
struct JobCode {
  std::string hash;    // of the snapshot's archive; empty: none was taken, they have the folder
  std::string folder;  // of which it was taken
  bool operator==(const JobCode&) const = default;
};

struct CodeOrder {
  std::string job;   // its id
  std::string hash;  // of the archive: 32 hexadecimal digits
  uint64_t archive_bytes = 0;
  std::string folder;         // where the code lies on the machine that sends it …
  uint64_t inode = 0;         // … and by what a host knows that it is the same folder there
  int64_t changed_nanos = 0;  // st_ctime, UNIX
  bool operator==(const CodeOrder&) const = default;
};

// Without a newline.
std::string to_line(const CodeOrder& order);

// invalid_argument where it is none: what it says is used in paths.
Result<CodeOrder> code_order_from(std::string_view line);

// 32 hexadecimal digits.
bool is_code_hash(std::string_view text);

}  // namespace muster
