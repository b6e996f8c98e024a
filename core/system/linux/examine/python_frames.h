// SPDX-License-Identifier: Apache-2.0
// Functions and lines of the Python threads of a process, read from the memory of its interpreter: CPython 3.10 to 3.15.
// The process is not stopped and does not cooperate. Its memory may change meanwhile, so nothing that is read is trusted: numbers,
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
  int64_t number = 0;               // the kernel's thread id in the process's pid namespace; 0: not known
  std::vector<std::string> frames;  // innermost first: "step (train.py:41)"
  std::string name;                 // "MainThread"; empty: not known
};

struct PythonFrames {
  enum class Outcome {
    no_python,  // the process has no interpreter mapped
    read,
    unreadable,  // this process may not read the other's memory
    unknown,     // the interpreter's layout is not known
  };
  Outcome outcome = Outcome::no_python;
  PythonRelease release = 0;
  std::vector<PythonThread> threads;  // main thread last, as in the interpreter's list
};

PythonFrames python_frames(pid_t pid);

// At most 32 threads with at most 64 frames each.
std::vector<PythonThread> read_python_threads(const RemoteMemory& memory, const PythonInterpreter& python);

}  // namespace muster
