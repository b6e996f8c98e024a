// The Python stack of a process as text, read without its help: from its memory (python_frames.h), or by py-spy where the interpreter's
// layout is not known (py_spy.h). Any thread; blocks for at most three seconds.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/system/linux/examine/python_frames.h"

namespace muster {

struct PythonStack {
  std::string innermost;  // of the main thread: "step (train.py:41)"; empty: it could not be read
  std::string text;       // lines; where py-spy is needed and missing, one that says so
};

// Empty: the process is not a Python program, or this process may not read its memory.
PythonStack python_stack(pid_t pid);

// The main thread is the last.
PythonStack python_stack(const std::vector<PythonThread>& threads);

}  // namespace muster
