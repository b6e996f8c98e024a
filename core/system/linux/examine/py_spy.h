// SPDX-License-Identifier: Apache-2.0
// Asks py-spy (https://github.com/benfred/py-spy) for the Python stacks of an interpreter that python_frames.h cannot read. Any thread;
// blocks for at most three seconds.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/system/linux/examine/python_frames.h"

namespace muster {

// The path of py-spy: in the folder of the process's interpreter, to find that of a virtual environment, or in the PATH of
// the process. Empty: there is none.
std::string find_py_spy(pid_t pid);

// Output of `py-spy dump --nonblocking --json --pid PID`, which does not stop the process. Empty: it failed or timed out.
std::vector<PythonThread> ask_py_spy(const std::string& program, pid_t pid);

// The main thread is the last. Empty: `json` is not py-spy's output. At most 32 threads with at most 64 frames each.
std::vector<PythonThread> parse_py_spy(std::string_view json);

}  // namespace muster
