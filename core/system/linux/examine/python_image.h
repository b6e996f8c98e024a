// SPDX-License-Identifier: Apache-2.0
// An image of an interpreter's memory, for tests: it replaces interpreters that a test machine does not have.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/system/linux/examine/python_interpreter.h"
#include "core/system/linux/examine/remote_memory.h"

namespace muster {

class PythonImage : public RemoteMemory {
 public:
  explicit PythonImage(const PythonLayout& layout) : layout_(layout) {
    python_ = {layout, place(kStructure), place(kStructure)};
    interpreter_ = place(kStructure);
    put(python_.runtime + layout_.interpreters, interpreter_);
  }

  const PythonInterpreter& python() const { return python_; }
  uint64_t interpreter() const { return interpreter_; }

  bool copy(uint64_t from, void* to, size_t size) const override {
    if (from < kBase || from - kBase > memory_.size() || memory_.size() - (from - kBase) < size) return false;
    std::memcpy(to, memory_.data() + (from - kBase), size);
    return true;
  }

  // Allocates zeroed memory; the address is aligned like those of objects.
  uint64_t place(size_t size) {
    const uint64_t at = kBase + memory_.size();
    memory_.resize(memory_.size() + (size + 15) / 16 * 16);
    return at;
  }

  template <typename T>
  void put(uint64_t at, const T& value) {
    std::memcpy(memory_.data() + (at - kBase), &value, sizeof value);
  }

  uint64_t bytes(const std::string& value) {
    const uint64_t at = place(layout_.bytes + value.size());
    put<int64_t>(at + layout_.bytes_length, static_cast<int64_t>(value.size()));
    std::memcpy(memory_.data() + (at + layout_.bytes - kBase), value.data(), value.size());
    return at;
  }

  uint64_t text(const std::string& ascii) {
    const uint64_t at = place(layout_.ascii_text + ascii.size());
    put<uint32_t>(at + layout_.text_state, (1 | 8 | 16) << layout_.kind_bit);
    put<int64_t>(at + layout_.text_length, static_cast<int64_t>(ascii.size()));
    std::memcpy(memory_.data() + (at + layout_.ascii_text - kBase), ascii.data(), ascii.size());
    return at;
  }

  uint64_t text(const std::u16string& wide) {
    const uint64_t at = place(layout_.wide_text + 2 * wide.size());
    put<uint32_t>(at + layout_.text_state, (2 | 8) << layout_.kind_bit);
    put<int64_t>(at + layout_.text_length, static_cast<int64_t>(wide.size()));
    std::memcpy(memory_.data() + (at + layout_.wide_text - kBase), wide.data(), 2 * wide.size());
    return at;
  }

  // The first instruction is on line `line`, the second one two lines further.
  uint64_t code(uint64_t name, uint64_t file, int32_t line) {
    const std::string table = layout_.line ? std::string{2, 0, 2, 2} : std::string{char(0xE8), 0, char(0xE8), 4};
    const uint64_t at = place(kStructure);
    put(at + layout_.type, python_.code_type);
    put(at + layout_.name, name);
    put(at + layout_.file, file);
    put(at + layout_.first_line, line);
    put(at + layout_.line_table, bytes(table));
    return at;
  }

  // A frame that executes the second instruction.
  uint64_t frame(uint64_t code, uint64_t previous) {
    const uint64_t at = place(kStructure);
    put(at + layout_.code, code);
    put(at + layout_.previous, previous);
    if (layout_.line) {
      put<int32_t>(at + layout_.instruction, 1);
    } else {
      put(at + layout_.instruction, code + layout_.instructions + 2);
    }
    return at;
  }

  uint64_t thread(int64_t number, uint64_t frame, uint64_t next) {
    const uint64_t at = place(kStructure);
    put(at + layout_.next_thread, next);
    if (layout_.thread_number) put(at + *layout_.thread_number, number);
    uint64_t innermost = frame;
    if (layout_.frame_in_cframe) {
      innermost = place(kStructure);
      put(innermost + *layout_.frame_in_cframe, frame);
    }
    put(at + layout_.frame, innermost);
    return at;
  }

  void begin_with(uint64_t thread) { put(interpreter_ + layout_.threads, thread); }

 private:
  static constexpr uint64_t kBase = 0x100000;
  static constexpr size_t kStructure = 8 << 10;  // more than any offset in a layout

  PythonLayout layout_;
  std::vector<char> memory_;
  PythonInterpreter python_;
  uint64_t interpreter_ = 0;
};

}  // namespace muster
