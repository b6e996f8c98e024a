// The Python stack of a process, as py-spy reads it without its help. Any thread; takes up to three seconds.
#pragma once

#include <sys/types.h>

#include <string>

namespace muster {

struct PythonStack {
  std::string innermost;  // of the main thread: "step (train.py:41)"
  std::string text;       // lines
};

// Empty where there is no py-spy beside the program or in its PATH or ours, or it may not read the process.
PythonStack python_stack(pid_t pid);

// What `py-spy dump` printed.
PythonStack parse_py_spy(const std::string& printed);

}  // namespace muster
