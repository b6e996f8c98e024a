// SPDX-License-Identifier: Apache-2.0
// A shell that has a trap for a signal runs it only after the program in the foreground has ended. So the program needs the signal
// too, as from a terminal.
#pragma once

#include <sys/types.h>

#include <vector>

namespace muster {

// The children in the process group of `pid` that are not in the background, if it is a shell that catches the signal. Empty for other
// processes, and for a shell without a trap: that one ends, and its programs are leftovers. Without those that read another's output
// (`train | tee log`): they end after their writers. Any thread.
std::vector<pid_t> programs_of_shell(pid_t pid, int signal);

}  // namespace muster
