// What `muster torchrun` says when its job failed: the rank at fault and how, the end of its traceback, who was ended because
// of it, where its output is, what to type next. Pure.
#pragma once

#include <optional>
#include <string>

#include "core/attempt/error_file.h"
#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

struct FailureFacts {
  std::string stderr_tail;         // of the rank at fault
  std::optional<RankError> error;  // as it left it
  bool was_shown = false;          // its stderr came out on the console as the last thing
  std::string log_file;            // its stderr where the user asked for files; empty: muster logs has it
  std::string interpreter;         // of the ranks; empty: none
  std::string elsewhere;           // the host it ran on, whose muster has its output; empty: this one
};

std::string failure_report(const JobView& job, const FailureFacts& facts, const Style& style);

// The last traceback in `text`, at most `most` lines of its end, the first saying what is left out; empty: there is none.
std::string traceback_end(const std::string& text, size_t most);

}  // namespace muster
