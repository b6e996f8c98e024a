// The kernel's texts, of which processes choose parts (their names): /proc/PID/stat, /proc/self/cgroup and mountinfo. What lies in their
// memory is theirs alone: a table of lines of Python's.
#include <cstddef>
#include <cstdint>

#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/examine/python_lines.h"
#include "core/system/linux/proc_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(muster::parse_stat(text));
  static_cast<void>(muster::python_line(text, 1, static_cast<int64_t>(size)));
  static_cast<void>(muster::python_line_310(text, 1, static_cast<int64_t>(size)));
  const size_t half = text.find('\n', size / 2);
  if (half == std::string::npos) return 0;
  for (const char* controller : {"", "memory"}) {
    static_cast<void>(muster::find_cgroup_folder(text.substr(0, half), text.substr(half + 1), controller));
  }
  return 0;
}
