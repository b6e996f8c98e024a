// SPDX-License-Identifier: Apache-2.0
// Finds the CPython interpreter of a process among its mapped files. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/system/linux/examine/python_layout.h"
#include "core/system/linux/examine/remote_memory.h"

namespace muster {

// Addresses are those of the process.
struct PythonInterpreter {
  PythonLayout layout;
  uint64_t runtime = 0;    // _PyRuntime
  uint64_t code_type = 0;  // PyCode_Type
};

struct PythonProcess {
  PythonRelease release = 0;
  bool is_readable = true;                       // false: this process may not read the other's memory
  std::optional<PythonInterpreter> interpreter;  // none: the layout is not known
};

// None: no interpreter is mapped, i.e. no file with a name like python, python3.11 or libpython3.11.so.1.0.
std::optional<PythonProcess> find_python(pid_t pid);

// The layout of the interpreter with `_PyRuntime` and `Py_Version` (0: it has none) at these addresses. `named`: the release in
// the names of its files. Does not set `code_type`.
PythonProcess recognize_python(const RemoteMemory& memory, uint64_t runtime, uint64_t version, PythonRelease named);

}  // namespace muster
