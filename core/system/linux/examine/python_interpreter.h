// Finds the CPython interpreter of a process by the files that it has mapped. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "core/system/linux/examine/python_layout.h"
#include "core/system/linux/examine/remote_memory.h"

namespace muster {

// Addresses are of the process.
struct PythonInterpreter {
  PythonLayout layout;
  uint64_t runtime = 0;    // _PyRuntime
  uint64_t code_type = 0;  // PyCode_Type
};

struct PythonProcess {
  PythonRelease release = 0;
  bool is_readable = true;                       // false: this process may not read the other's memory
  std::optional<PythonInterpreter> interpreter;  // none: its layout is not known
};

// None: no interpreter is mapped, that is a file named python, python3.11 or libpython3.11.so.1.0 or the like.
std::optional<PythonProcess> find_python(pid_t pid);

// The layout of the interpreter whose `_PyRuntime` and `Py_Version` (0: it has none) are at these addresses. `named` is the release that
// its files are named after. `code_type` stays 0.
PythonProcess recognize_python(const RemoteMemory& memory, uint64_t runtime, uint64_t version, PythonRelease named);

}  // namespace muster
