// The scripts that make bash, zsh and fish complete `muster`. They know no command: while somebody types they ask
// `muster __complete`, which answers a candidate a line with a tab and its help behind it, and then one line that begins
// with a colon and says what the shell adds of its own. Constant.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "launcher/completion/completer.h"

namespace muster {

// `shell` is bash, zsh or fish.
std::string completion_script(const std::string& shell);

// What `muster __complete` prints.
std::string completion_lines(const Completion& completion);

// Where this user's shell finds its script by itself, or, for zsh, where it does once fpath names the folder. Fails with
// failed_precondition where there is no home.
Result<std::string> completion_file(const std::string& shell, const CallerContext& caller);

}  // namespace muster
