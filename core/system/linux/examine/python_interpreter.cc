// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_interpreter.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/system/linux/examine/elf_symbols.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

// "python", "python3.11", "python3.13t", "libpython3.11.so.1.0"; not "libtorch_python.so".
bool is_interpreter(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with("lib")) name.remove_prefix(3);
  if (!name.starts_with("python")) return false;
  name.remove_prefix(6);
  return name.empty() || name[0] == ' ' || (name[0] >= '0' && name[0] <= '9');
}

// A file named only "python" does not name its release, but its modules are in folders that do.
PythonRelease release_of_files(const std::vector<CodeMapping>& mappings, const CodeMapping& interpreter) {
  if (const PythonRelease release = release_in_path(interpreter.file)) return release;
  for (const CodeMapping& mapping : mappings) {
    if (const PythonRelease release = release_in_path(mapping.file)) return release;
  }
  return 0;
}

}  // namespace

PythonProcess recognize_python(const RemoteMemory& memory, uint64_t runtime, uint64_t version, PythonRelease named) {
  PythonProcess found{.release = named};
  std::string begin(kPythonCookie.size(), '\0');
  found.is_readable = memory.copy(runtime, begin.data(), begin.size());
  if (!found.is_readable) return found;
  std::optional<PythonLayout> layout;
  if (begin == kPythonCookie) {
    begin.resize(kDescriptionBytes);
    if (!memory.copy(runtime, begin.data(), begin.size())) return found;
    found.release = described_release(begin);
    layout = described_layout(begin);
  } else {
    uint64_t hex = 0;
    if (version != 0 && memory.copy(version, &hex, sizeof hex)) found.release = static_cast<PythonRelease>(hex >> 16);
    if (const PythonLayout* row = table_layout(found.release)) layout = *row;
  }
  if (layout) found.interpreter = PythonInterpreter{*layout, runtime, 0};
  return found;
}

std::optional<PythonProcess> find_python(pid_t pid) {
  const std::string folder = "/proc/" + std::to_string(pid);
  const auto mappings = parse_code_mappings(read_small_file(folder + "/maps").value_or(""));
  const ProcessMemory memory(pid);
  std::optional<PythonProcess> process;
  for (const CodeMapping& mapping : mappings) {
    if (!is_interpreter(mapping.file)) continue;
    const PythonRelease named = release_of_files(mappings, mapping);
    if (!process) process = PythonProcess{.release = named};
    auto at = find_variables(folder + "/root" + mapping.file, mapping, {"_PyRuntime", "Py_Version", "PyCode_Type"});
    if (at["_PyRuntime"] == 0 || at["PyCode_Type"] == 0) continue;
    process = recognize_python(memory, at["_PyRuntime"], at["Py_Version"], named);
    if (process->interpreter) process->interpreter->code_type = at["PyCode_Type"];
    break;
  }
  return process;
}

}  // namespace muster
