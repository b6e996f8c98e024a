// SPDX-License-Identifier: Apache-2.0
// The report of `muster torchrun` and `muster mpirun` after their job failed: the rank at fault and its error, the end of its traceback, the ranks that ended
// because of it, where its output is, and the next command. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/attempt/error_file.h"
#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

struct FailureFacts {
  std::string stderr_tail;         // of the rank at fault
  std::optional<RankError> error;  // its error file
  bool was_shown = false;          // its stderr was the last output on the console
  std::string log_file;            // the file with its stderr, if the user asked for files; else empty
  std::string interpreter;         // of the ranks; empty: none
  std::string elsewhere;           // the host it ran on, whose muster has its output; empty: this one
};

std::string failure_report(const JobView& job, const FailureFacts& facts, const Style& style);

// The last traceback in `text`, cut to at most `most` lines at its end; the first line then says how many are left out. Empty: none.
std::string traceback_end(const std::string& text, size_t most);

}  // namespace muster
