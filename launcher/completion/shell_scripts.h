// SPDX-License-Identifier: Apache-2.0
// Completion scripts for bash, zsh and fish. They contain no commands: they call `muster __complete`, which prints one candidate
// per line, with its help after a tab, and then one line that begins with a colon: what the shell completes itself. Constant.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/client/caller_context.h"
#include "launcher/completion/completer.h"

namespace muster {

// `shell` is bash, zsh or fish.
std::string completion_script(const std::string& shell);

// The output of `muster __complete`.
std::string completion_lines(const Completion& completion);

// The path at which the user's shell looks for the script. For zsh, the folder must be in fpath. failed_precondition: HOME is not set.
Result<std::string> completion_file(const std::string& shell, const CallerContext& caller);

}  // namespace muster
