// The Python stack of a process, read without its help: by ourselves (python_frames.h), or of other interpreters by py-spy. Any thread;
// takes up to three seconds.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "core/system/linux/examine/python_frames.h"

namespace muster {

struct PythonStack {
  std::string innermost;  // of the main thread: "step (train.py:41)"
  std::string text;       // lines
};

// Empty where nobody can read it: we may not, or the interpreter is an odd one and there is no py-spy beside it or in its PATH or ours.
PythonStack python_stack(pid_t pid);

PythonStack python_stack(const std::vector<PythonThread>& threads);

// What `py-spy dump` printed.
PythonStack parse_py_spy(const std::string& printed);

}  // namespace muster
