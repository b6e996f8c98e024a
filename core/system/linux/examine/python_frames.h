// The functions and lines in which the Python threads of a process are, read from the memory of its interpreter: CPython 3.10 to 3.15.
// The process is not stopped and does nothing for it. It may change its memory meanwhile, so nothing that is read is trusted: numbers,
// lengths and depths have limits. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/system/linux/examine/python_interpreter.h"
#include "core/system/linux/examine/remote_memory.h"

namespace muster {

struct PythonThread {
  int64_t number = 0;               // of the kernel, as the process itself knows it; 0: not known
  std::vector<std::string> frames;  // the innermost first: "step (train.py:41)"
  std::string name;                 // "MainThread"; empty: not known
};

struct PythonFrames {
  enum class Outcome {
    no_python,  // the process has mapped no interpreter
    read,
    unreadable,  // this process may not read the other's memory
    unknown,     // an interpreter whose layout is not known
  };
  Outcome outcome = Outcome::no_python;
  PythonRelease release = 0;
  std::vector<PythonThread> threads;  // the main thread last, as the interpreter keeps them
};

PythonFrames python_frames(pid_t pid);

// At most 32 threads with at most 64 frames each.
std::vector<PythonThread> read_python_threads(const RemoteMemory& memory, const PythonInterpreter& python);

}  // namespace muster
