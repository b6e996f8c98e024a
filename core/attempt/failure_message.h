// What a program said last before it failed, as one line for people: the exception of a Python traceback with its
// place, else the last line of stderr. Understands text only; decides nothing.
#pragma once

#include <string>
#include <string_view>

#include "core/job/exit_status.h"
#include "core/port/output_files.h"

namespace muster {

struct FailureMessage {
  std::string
      said;  // "RuntimeError: shapes do not match at train.py:41"; empty: nothing worth repeating. At most 300 bytes
  std::string
      trace;  // the lines of the Python traceback it stands on, at most 2 KiB, inner frames first to stay; else empty
  bool operator==(const FailureMessage&) const = default;
};

// Of a program that may have been ended by an exception.
FailureMessage failure_message_of(std::string_view stderr_tail);

// Where a program said its last words: in the error file of torch's @record, which counts first, else on stderr, in the last
// 16 KiB. Empty paths: nowhere.
struct FailureMessageFiles {
  std::string error_file;
  std::string stderr_path;
};
// `exit`: how it ended.
FailureMessage failure_message(OutputFiles& files, const FailureMessageFiles& places, const ExitStatus& exit);

}  // namespace muster
