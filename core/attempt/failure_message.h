// SPDX-License-Identifier: Apache-2.0
// The failure message of a program, as one line for people: the exception of a Python traceback with its location, the message of a
// crash, otherwise the last line of stderr. If the program is a launcher or the parent of worker processes, it is the exception or
// crash of the process that failed, as far as the output shows it.
#pragma once

#include <string>
#include <string_view>

#include "core/job/exit_status.h"
#include "core/port/output_files.h"

namespace muster {

struct FailureMessage {
  // "RuntimeError: shapes do not match at train.py:41", at most 300 bytes; empty: there is none.
  std::string said;
  // The Python traceback that it comes from, at most 2 KiB, without the outermost frames if it is longer; after a crash the Python
  // functions that faulthandler printed; otherwise empty.
  std::string trace;
  bool operator==(const FailureMessage&) const = default;
};

// The failure message in the tail of stderr, of a program that may have ended by an exception.
FailureMessage failure_message_of(std::string_view stderr_tail);

// Sources of a failure message: the error file of torch's @record first, then the last 64 KiB of stderr. Empty path: no such
// source.
struct FailureMessageFiles {
  std::string error_file;
  std::string stderr_path;
};
// The failure message of a program that ended with `exit`. Empty after SIGKILL, unless a launcher killed itself.
FailureMessage failure_message(OutputFiles& files, const FailureMessageFiles& places, const ExitStatus& exit);

}  // namespace muster
