// The Python functions in which a process stands, read from the memory of its interpreter: CPython 3.11 to 3.13. The process is not
// stopped, and does nothing for it; what it changes meanwhile may be read in halves, so nothing read is trusted. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace muster {

struct PythonThread {
  int64_t number = 0;               // of the kernel, as the process itself knows it
  std::vector<std::string> frames;  // the innermost first: "step (train.py:41)"
};

// The first thread last, as the interpreter keeps them. Empty: it is no such interpreter, or we may not read it.
std::vector<PythonThread> python_frames(pid_t pid);

}  // namespace muster
