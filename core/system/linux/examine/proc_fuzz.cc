// SPDX-License-Identifier: Apache-2.0
// Fuzzes the parsers of texts that another process can influence: /proc/PID/stat, /proc/self/cgroup and mountinfo (by names), the
// structures of a Python interpreter (entirely), py-spy's output and the kernel's log (by names).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/system/linux/cgroup_paths.h"
#include "core/system/linux/examine/py_spy.h"
#include "core/system/linux/examine/python_frames.h"
#include "core/system/linux/examine/python_lines.h"
#include "core/system/linux/kernel_log.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

// Every address maps into the text, so structures made of garbage point to more garbage.
class WrappedMemory : public RemoteMemory {
 public:
  explicit WrappedMemory(std::string_view text) : text_(text) {}
  bool copy(uint64_t from, void* to, size_t size) const override {
    if (text_.empty() || size > text_.size()) return false;
    const size_t begin = from % text_.size();
    const size_t before_end = std::min(size, text_.size() - begin);
    std::memcpy(to, text_.data() + begin, before_end);
    std::memcpy(static_cast<char*>(to) + before_end, text_.data(), size - before_end);
    return true;
  }

 private:
  std::string_view text_;
};

void read_python(std::string_view text) {
  const WrappedMemory memory(text);
  for (const PythonRelease named : {0x030A, 0x030B, 0x030C}) {
    const PythonProcess found = recognize_python(memory, 1 << 20, 0, named);
    if (!found.interpreter) continue;
    PythonInterpreter python = *found.interpreter;
    memory.copy(0, &python.code_type, sizeof python.code_type);
    static_cast<void>(read_python_threads(memory, python));
  }
  static_cast<void>(described_layout(text));
  static_cast<void>(parse_py_spy(text));
}

}  // namespace
}  // namespace muster

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(muster::parse_stat(text));
  static_cast<void>(muster::parse_kernel_kill(text));
  static_cast<void>(muster::python_line(text, 1, static_cast<int64_t>(size)));
  static_cast<void>(muster::python_line_310(text, 1, static_cast<int64_t>(size)));
  muster::read_python(text);
  const size_t half = text.find('\n', size / 2);
  if (half == std::string::npos) return 0;
  for (const char* controller : {"", "memory"}) {
    static_cast<void>(muster::find_cgroup_folder(text.substr(0, half), text.substr(half + 1), controller));
  }
  return 0;
}
