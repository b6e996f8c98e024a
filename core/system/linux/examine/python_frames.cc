// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_frames.h"

#include <algorithm>
#include <optional>
#include <set>

#include "core/system/linux/examine/python_lines.h"
#include "core/system/linux/proc_files.h"

namespace muster {
namespace {

constexpr size_t kMostInterpreters = 16;
constexpr size_t kMostPythonThreads = 32;
constexpr size_t kMostPythonFrames = 64;
constexpr size_t kLongestPythonName = 200;
constexpr int64_t kLongestLineTable = 256 << 10;
constexpr size_t kMostPythonMemory = 16 << 20;  // limit for one process
constexpr uint8_t kOwnedByInterpreter = 3;      // this and higher owners: a frame that belongs to no Python function
constexpr uint64_t kReferenceTags = 7;          // from 3.14 on the lowest bits of a reference to an object are flags

// Reads values; returns zeros for memory that cannot be read.
class MemoryReader {
 public:
  explicit MemoryReader(const RemoteMemory& memory) : memory_(memory) {}

  template <typename T = uint64_t>
  T at(uint64_t address) {
    T value{};
    return copy(address, &value, sizeof value) ? value : T{};
  }

  std::string bytes(uint64_t address, size_t size) {
    std::string text(size, '\0');
    return copy(address, text.data(), size) ? text : "";
  }

 private:
  bool copy(uint64_t from, void* to, size_t size) {
    if (from == 0 || size > left_) return false;
    left_ -= size;
    return memory_.copy(from, to, size);
  }

  const RemoteMemory& memory_;
  size_t left_ = kMostPythonMemory;
};

// "train.py"; but "nn/__init__.py", since many files have that name.
std::string short_name(const std::string& file) {
  size_t cut = file.rfind('/');
  if (cut != std::string::npos && cut > 0 && file.compare(cut, std::string::npos, "/__init__.py") == 0)
    cut = file.rfind('/', cut - 1);
  return cut == std::string::npos ? file : file.substr(cut + 1);
}

class FrameWalk {
 public:
  FrameWalk(const RemoteMemory& memory, const PythonInterpreter& python)
      : reader_(memory),
        python_(python),
        layout_(python.layout) {}

  std::vector<PythonThread> threads() {
    std::set<uint64_t> seen;
    uint64_t interpreter = reader_.at(python_.runtime + layout_.interpreters);
    while (interpreter != 0 && seen.size() < kMostInterpreters && seen.insert(interpreter).second) {
      add_threads(reader_.at(interpreter + layout_.threads));
      interpreter = reader_.at(interpreter + layout_.next_interpreter);
    }
    return std::move(threads_);
  }

 private:
  void add_threads(uint64_t thread) {
    while (thread != 0 && threads_.size() < kMostPythonThreads && seen_threads_.insert(thread).second) {
      threads_.push_back(thread_at(thread));
      thread = reader_.at(thread + layout_.next_thread);
    }
  }

  PythonThread thread_at(uint64_t thread) {
    PythonThread found;
    if (layout_.thread_number) found.number = reader_.at<int64_t>(thread + *layout_.thread_number);
    uint64_t frame = reader_.at(thread + layout_.frame);
    if (layout_.frame_in_cframe && frame != 0) frame = reader_.at(frame + *layout_.frame_in_cframe);
    std::set<uint64_t> seen;
    while (frame != 0 && seen.size() < 2 * kMostPythonFrames && found.frames.size() < kMostPythonFrames) {
      if (!seen.insert(frame).second) break;
      std::string text = frame_at(frame);
      if (!text.empty()) found.frames.push_back(std::move(text));
      frame = reader_.at(frame + layout_.previous);
    }
    return found;
  }

  // "step (train.py:41)"; empty: the frame belongs to no Python function.
  std::string frame_at(uint64_t frame) {
    const uint64_t code = reader_.at(frame + layout_.code) & ~kReferenceTags;
    const bool is_inner = layout_.owner && reader_.at<uint8_t>(frame + *layout_.owner) >= kOwnedByInterpreter;
    if (code == 0 || is_inner || reader_.at(code + layout_.type) != python_.code_type) return "";
    const std::string name = text_at(reader_.at(code + layout_.name));
    const std::string file = short_name(text_at(reader_.at(code + layout_.file)));
    const int64_t line = line_of(frame, code);
    return name + " (" + file + (line > 0 ? ":" + std::to_string(line) : "") + ")";
  }

  int64_t line_of(uint64_t frame, uint64_t code) {
    if (layout_.line) {  // only set while the program is traced
      if (const auto line = reader_.at<int32_t>(frame + *layout_.line); line > 0) return line;
    }
    const uint64_t table = reader_.at(code + layout_.line_table);
    const auto size = reader_.at<int64_t>(table + layout_.bytes_length);
    if (table == 0 || size <= 0 || size > kLongestLineTable) return 0;
    const std::string bytes = reader_.bytes(table + layout_.bytes, static_cast<size_t>(size));
    const auto first = reader_.at<int32_t>(code + layout_.first_line);
    if (layout_.line) return python_line_310(bytes, first, reader_.at<int32_t>(frame + layout_.instruction));
    const uint64_t instruction = reader_.at(frame + layout_.instruction);
    return python_line(bytes, first, static_cast<int64_t>(instruction - instructions_of(frame, code)) / 2);
  }

  // The address of the first instruction of the code that the frame executes.
  uint64_t instructions_of(uint64_t frame, uint64_t code) {
    const uint64_t common = code + layout_.instructions;
    if (!layout_.thread_code) return common;
    const auto index = reader_.at<int32_t>(frame + layout_.thread_code->index);
    const uint64_t copies = reader_.at(code + layout_.thread_code->copies);
    if (index <= 0 || copies == 0 || index >= reader_.at<int64_t>(copies)) return common;
    return reader_.at(copies + 8 * (1 + static_cast<uint64_t>(index)));
  }

  // Characters that are not ASCII are shown as `?`.
  std::string text_at(uint64_t object) {
    if (object == 0) return "";
    const uint32_t state = reader_.at<uint32_t>(object + layout_.text_state) >> layout_.kind_bit;
    const uint64_t width = state & 7;
    const bool is_compact = (state & 8) != 0;
    const bool is_ascii = (state & 16) != 0;
    const auto length = reader_.at<int64_t>(object + layout_.text_length);
    if (!is_compact || length <= 0 || (width != 1 && width != 2 && width != 4)) return "";
    const size_t shown = std::min(static_cast<size_t>(length), kLongestPythonName);
    // The end of a path is more useful than its beginning.
    const uint64_t skipped = (static_cast<uint64_t>(length) - shown) * width;
    const uint64_t begin = object + (is_ascii ? layout_.ascii_text : layout_.wide_text);
    const std::string units = reader_.bytes(begin + skipped, shown * width);
    std::string text;
    for (size_t at = 0; at < units.size(); at += width) {
      const bool is_plain = units[at] >= ' ' && units[at] <= '~' && (width == 1 || units[at + 1] == 0);
      text += is_plain ? units[at] : '?';
    }
    return text;
  }

  MemoryReader reader_;
  const PythonInterpreter& python_;
  const PythonLayout& layout_;
  std::vector<PythonThread> threads_;
  std::set<uint64_t> seen_threads_;
};

}  // namespace

std::vector<PythonThread> read_python_threads(const RemoteMemory& memory, const PythonInterpreter& python) {
  return FrameWalk(memory, python).threads();
}

PythonFrames python_frames(pid_t pid) {
  PythonFrames frames;
  const auto process = find_python(pid);
  if (!process) return frames;
  frames.release = process->release;
  frames.outcome = process->is_readable ? PythonFrames::Outcome::unknown : PythonFrames::Outcome::unreadable;
  if (!process->interpreter) return frames;
  frames.outcome = PythonFrames::Outcome::read;
  frames.threads = read_python_threads(ProcessMemory(pid), *process->interpreter);
  if (frames.threads.empty()) return frames;
  // CPython 3.10 does not keep the kernel's thread ids. The main thread's id is the pid.
  const int64_t number = own_number(pid);
  const auto main = std::find_if(frames.threads.begin(), frames.threads.end(),
                                 [&](const PythonThread& thread) { return thread.number == number; });
  if (main != frames.threads.end()) std::rotate(main, main + 1, frames.threads.end());
  if (frames.threads.back().number == 0) frames.threads.back().number = number;
  return frames;
}

}  // namespace muster
