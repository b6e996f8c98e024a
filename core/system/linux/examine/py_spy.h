// Asks py-spy (https://github.com/benfred/py-spy) where the threads of an interpreter are that python_frames.h cannot read. Any thread;
// blocks for at most three seconds.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/system/linux/examine/python_frames.h"

namespace muster {

// The path of py-spy in the folder of the process's interpreter, so that the one of a virtual environment is found, or in the PATH of
// the process. Empty: there is none.
std::string find_py_spy(pid_t pid);

// What `py-spy dump --nonblocking --json --pid PID` tells; the process is not stopped. Empty: it failed, or not in time.
std::vector<PythonThread> ask_py_spy(const std::string& program, pid_t pid);

// The main thread last. Empty: `json` is not such an answer. At most 32 threads with at most 64 frames each.
std::vector<PythonThread> parse_py_spy(std::string_view json);

}  // namespace muster
