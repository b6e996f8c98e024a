// SPDX-License-Identifier: Apache-2.0
// What ranks get of this command's terminal and stdin (core/job/caller_streams.h).
#pragma once

#include <optional>
#include <string>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "core/job/caller_streams.h"
#include "core/system/posix/unique_fd.h"

namespace muster {

// The value of `run --stdin`: which ranks read this command's stdin.
struct StdinChoice {
  bool all = false;
  std::optional<Rank> rank;  // with `all`: absent
  bool none() const { return !all && !rank; }
};
// invalid_argument: `text` is none of RANK, all, none.
Result<StdinChoice> parse_stdin_choice(const std::string& text);

// A pseudo-terminal for the only rank of a job, if stdout and stderr are one terminal. `reads`: what is typed goes to the rank, if stdin
// is a terminal too and this command is in its foreground.
std::optional<CallerWindow> window_here(const CallerContext& caller, bool reads);

struct CallerStdin {
  std::optional<CallerInput>
      input;         // nullopt: stdin is empty (/dev/null), or a terminal in whose background this command is
  UniqueFd copy_to;  // valid: a StdinCopy must copy stdin here, because other processes cannot open it
};

// This process's stdin for ranks. With `all` it blocks until the end of stdin, unless that is a file. Call it once.
Result<CallerStdin> stdin_for_ranks(const CallerContext& caller, const StdinChoice& choice);

// Whether stdin is a pipe, a socket or a file with bytes that nothing has read yet. Reads nothing and does not block.
bool stdin_has_unread_data();

}  // namespace muster
