#include "core/system/linux/examine/python_frames.h"

#include <sys/uio.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/system/linux/examine/elf_symbols.h"
#include "core/system/linux/examine/python_lines.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

constexpr size_t kMostPythonThreads = 32;
constexpr size_t kMostPythonFrames = 64;
constexpr size_t kLongestPythonName = 200;
constexpr int64_t kLongestLineTable = 256 << 10;
constexpr uint8_t kOwnedByC = 3;  // a frame that stands for the interpreter's own loop

// Where a release keeps what is read here, in bytes from the beginning of its structures; the same in all of its patches.
struct Layout {
  uint64_t version;      // 0x030B: 3.11
  uint64_t interpreter;  // _PyRuntimeState.interpreters.head
  uint64_t thread;       // PyInterpreterState.threads.head
  uint64_t number;       // PyThreadState.native_thread_id
  uint64_t current;      // PyThreadState.cframe, or .current_frame
  uint64_t in_cframe;    // _PyCFrame.current_frame
  bool by_cframe;
  uint64_t code;  // _PyInterpreterFrame.f_code, or .f_executable
  uint64_t previous;
  uint64_t instruction;  // .prev_instr, or .instr_ptr
  uint64_t owner;
  uint64_t first_line;  // PyCodeObject.co_firstlineno
  uint64_t adaptive;    // .co_code_adaptive
  uint64_t text;        // sizeof(PyASCIIObject)
  uint64_t wide_text;   // sizeof(PyCompactUnicodeObject)
};
constexpr Layout kLayouts[] = {
    {0x030B, 40, 16, 160, 56, 8, true, 32, 48, 56, 69, 72, 184, 48, 72},
    {0x030C, 40, 72, 144, 56, 0, true, 0, 8, 56, 70, 68, 192, 40, 56},
    {0x030D, 632, 7344, 160, 72, 0, false, 0, 8, 56, 70, 68, 200, 40, 56},
};
// The same in all of them.
constexpr uint64_t kNextThread = 8;
constexpr uint64_t kType = 8;
constexpr uint64_t kLength = 16;  // of a text or of bytes
constexpr uint64_t kTextState = 32;
constexpr uint64_t kBytes = 32;
constexpr uint64_t kFilename = 112;
constexpr uint64_t kQualifiedName = 128;
constexpr uint64_t kLineTable = 136;

class Memory {
 public:
  explicit Memory(pid_t pid) : pid_(pid) {}

  bool copy(uint64_t from, void* to, size_t size) const {
    iovec here{to, size};
    iovec there{reinterpret_cast<void*>(from), size};
    return from != 0 && process_vm_readv(pid_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
  }

  // 0 where nothing is.
  template <typename T = uint64_t>
  T at(uint64_t address) const {
    T value{};
    return copy(address, &value, sizeof value) ? value : T{};
  }

  std::string bytes(uint64_t address, size_t size) const {
    std::string text(size, '\0');
    return copy(address, text.data(), size) ? text : "";
  }

 private:
  pid_t pid_;
};

struct Interpreter {
  const Layout* layout = nullptr;
  uint64_t runtime = 0;
  uint64_t code_type = 0;
};

const Layout* layout_of(const Memory& memory, uint64_t runtime, uint64_t version) {
  constexpr uint64_t kNoLockOfAll = 16;  // _Py_DebugOffsets.free_threaded, from 3.13 on: everything lies elsewhere
  for (const Layout& layout : kLayouts) {
    if (layout.version != version >> 16) continue;
    return layout.by_cframe || memory.at(runtime + kNoLockOfAll) == 0 ? &layout : nullptr;
  }
  return nullptr;
}

// In the program itself, or in the library that it is made of.
std::optional<Interpreter> interpreter_of(pid_t pid, const Memory& memory) {
  const std::string folder = "/proc/" + std::to_string(pid);
  for (const CodeMapping& mapping : parse_code_mappings(read_small_file(folder + "/maps").value_or(""))) {
    if (mapping.file.substr(mapping.file.rfind('/')).find("python") == std::string::npos) continue;
    auto found = find_variables(folder + "/root" + mapping.file, mapping, {"_PyRuntime", "Py_Version", "PyCode_Type"});
    if (found.size() != 3) continue;
    const uint64_t runtime = found["_PyRuntime"];
    const Layout* layout = layout_of(memory, runtime, memory.at(found["Py_Version"]));
    if (layout != nullptr) return Interpreter{layout, runtime, found["PyCode_Type"]};
  }
  return std::nullopt;
}

// What is not of ASCII is shown as `?`.
std::string text_at(const Memory& memory, const Layout& layout, uint64_t object) {
  const auto state = memory.at<uint32_t>(object + kTextState);
  const uint64_t width = (state >> 2) & 7;
  const bool compact = (state & 32) != 0;
  const bool ascii = (state & 64) != 0;
  const auto length = memory.at<int64_t>(object + kLength);
  if (object == 0 || !compact || length <= 0 || (width != 1 && width != 2 && width != 4)) return "";
  const size_t shown = std::min(static_cast<size_t>(length), kLongestPythonName);
  // The end tells more of a file's name than its beginning does.
  const uint64_t skipped = (static_cast<uint64_t>(length) - shown) * width;
  const std::string units = memory.bytes(object + (ascii ? layout.text : layout.wide_text) + skipped, shown * width);
  std::string text;
  for (size_t at = 0; at < units.size(); at += width) {
    const bool plain = units[at] >= ' ' && units[at] <= '~' && (width == 1 || units[at + 1] == 0);
    text += plain ? units[at] : '?';
  }
  return text;
}

// "train.py"; "nn/__init__.py", as there are many of that name.
std::string short_name(const std::string& file) {
  size_t cut = file.rfind('/');
  if (cut != std::string::npos && cut > 0 && file.compare(cut, std::string::npos, "/__init__.py") == 0)
    cut = file.rfind('/', cut - 1);
  return cut == std::string::npos ? file : file.substr(cut + 1);
}

int64_t line_of(const Memory& memory, const Layout& layout, uint64_t code, uint64_t instruction) {
  const auto table = memory.at(code + kLineTable);
  const auto size = memory.at<int64_t>(table + kLength);
  if (table == 0 || size <= 0 || size > kLongestLineTable) return 0;
  const auto unit = static_cast<int64_t>(instruction - (code + layout.adaptive)) / 2;
  return python_line(memory.bytes(table + kBytes, static_cast<size_t>(size)),
                     memory.at<int32_t>(code + layout.first_line), unit);
}

// "step (train.py:41)"; empty: there is none of Python.
std::string frame_at(const Memory& memory, const Interpreter& python, uint64_t frame) {
  const Layout& layout = *python.layout;
  const uint64_t code = memory.at(frame + layout.code);
  if (memory.at<uint8_t>(frame + layout.owner) == kOwnedByC || memory.at(code + kType) != python.code_type) return "";
  const std::string name = text_at(memory, layout, memory.at(code + kQualifiedName));
  const std::string file = short_name(text_at(memory, layout, memory.at(code + kFilename)));
  const int64_t line = line_of(memory, layout, code, memory.at(frame + layout.instruction));
  return name + " (" + file + (line > 0 ? ":" + std::to_string(line) : "") + ")";
}

PythonThread thread_at(const Memory& memory, const Interpreter& python, uint64_t thread) {
  const Layout& layout = *python.layout;
  PythonThread found{memory.at<int64_t>(thread + layout.number), {}};
  uint64_t frame = memory.at(thread + layout.current);
  if (layout.by_cframe) frame = memory.at(frame + layout.in_cframe);
  for (size_t depth = 0; frame != 0 && depth < 2 * kMostPythonFrames && found.frames.size() < kMostPythonFrames;
       ++depth) {
    std::string text = frame_at(memory, python, frame);
    if (!text.empty()) found.frames.push_back(std::move(text));
    frame = memory.at(frame + layout.previous);
  }
  return found;
}

}  // namespace

std::vector<PythonThread> python_frames(pid_t pid) {
  const Memory memory(pid);
  const auto python = interpreter_of(pid, memory);
  std::vector<PythonThread> threads;
  if (!python) return threads;
  const uint64_t interpreter = memory.at(python->runtime + python->layout->interpreter);
  uint64_t thread = interpreter == 0 ? 0 : memory.at(interpreter + python->layout->thread);
  for (; thread != 0 && threads.size() < kMostPythonThreads; thread = memory.at(thread + kNextThread))
    threads.push_back(thread_at(memory, *python, thread));
  return threads;
}

}  // namespace muster
