// SPDX-License-Identifier: Apache-2.0
// The Python stack of a process as text, read without the process's help: from its memory (python_frames.h), or by py-spy if the
// interpreter's layout is not known (py_spy.h). Any thread; blocks for at most three seconds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/system/linux/examine/python_frames.h"

namespace muster {

struct PythonStack {
  std::string innermost;  // innermost frame of the main thread: "step (train.py:41)"; empty: not readable
  std::string text;       // lines of text, the main thread first; if py-spy is needed and missing, one line says so
  int64_t thread = 0;     // the main thread's number, as PythonThread has it; 0: not known
};

// Empty: the process is not a Python program, or this process may not read its memory.
PythonStack python_stack(pid_t pid);

// The main thread must be the last.
PythonStack python_stack(const std::vector<PythonThread>& threads);

}  // namespace muster
