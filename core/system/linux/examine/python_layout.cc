// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/python_layout.h"

#include <cstring>

namespace muster {
namespace {

constexpr uint64_t kLargestStructure = 64 << 20;
constexpr uint64_t kOldestCandidate = 0xC0;  // release levels are alpha, beta, candidate, final

constexpr PythonLayout kPython310 = {
    .interpreters = 32,
    .next_interpreter = 0,
    .threads = 8,
    .next_thread = 8,
    .frame = 24,
    .previous = 24,
    .code = 32,
    .instruction = 96,
    .line = 100,
    .file = 104,
    .name = 112,
    .line_table = 120,
    .first_line = 40,
    .type = 8,
    .bytes_length = 16,
    .bytes = 32,
    .text_state = 32,
    .text_length = 16,
    .ascii_text = 48,
    .wide_text = 72,
};
constexpr PythonLayout kPython311 = {
    .interpreters = 40,
    .next_interpreter = 0,
    .threads = 16,
    .next_thread = 8,
    .thread_number = 160,
    .frame = 56,
    .frame_in_cframe = 8,
    .previous = 48,
    .code = 32,
    .instruction = 56,
    .owner = 69,
    .file = 112,
    .name = 128,
    .line_table = 136,
    .first_line = 72,
    .instructions = 184,
    .type = 8,
    .bytes_length = 16,
    .bytes = 32,
    .text_state = 32,
    .text_length = 16,
    .ascii_text = 48,
    .wide_text = 72,
};
constexpr PythonLayout kPython312 = {
    .interpreters = 40,
    .next_interpreter = 0,
    .threads = 72,
    .next_thread = 8,
    .thread_number = 144,
    .frame = 56,
    .frame_in_cframe = 0,
    .previous = 8,
    .code = 0,
    .instruction = 56,
    .owner = 70,
    .file = 112,
    .name = 128,
    .line_table = 136,
    .first_line = 68,
    .instructions = 192,
    .type = 8,
    .bytes_length = 16,
    .bytes = 32,
    .text_state = 32,
    .text_length = 16,
    .ascii_text = 40,
    .wide_text = 56,
};
struct LayoutRow {
  PythonRelease release;
  const PythonLayout& layout;
};
constexpr LayoutRow kLayoutTable[] = {{0x030A, kPython310}, {0x030B, kPython311}, {0x030C, kPython312}};

// Index of the word in `_Py_DebugOffsets` at which each part used here begins. A part begins with the size of its structure. The
// members after it have the same order in these releases, except for `native_thread_id`.
struct DescriptionParts {
  PythonRelease release;
  size_t runtime;
  size_t interpreter;
  size_t thread;
  size_t thread_number;  // index relative to `thread`
  size_t frame;
  size_t code;
  size_t object;
  size_t bytes;
  size_t text;
  bool has_thread_code;
};
constexpr DescriptionParts kDescriptionParts[] = {
    {0x030D, 3, 6, 19, 6, 28, 34, 44, 64, 67, false},
    {0x030E, 3, 6, 22, 6, 31, 39, 50, 74, 77, true},
    {0x030F, 3, 6, 22, 9, 39, 47, 58, 86, 89, true},
};

const DescriptionParts* parts_of(PythonRelease release) {
  for (const DescriptionParts& description : kDescriptionParts) {
    if (description.release == release) return &description;
  }
  return nullptr;
}

uint64_t description_word(std::string_view bytes, size_t index) {
  uint64_t value = 0;
  if (bytes.size() / sizeof value > index) std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

// Reads the offsets of one structure after the other and checks that each is within its structure.
class MemberOffsets {
 public:
  explicit MemberOffsets(std::string_view bytes) : bytes_(bytes) {}

  // The offset of a member of `width` bytes.
  uint64_t at(size_t part, size_t index, uint64_t width) {
    const uint64_t size = description_word(bytes_, part);
    const uint64_t offset = description_word(bytes_, part + index);
    valid_ = valid_ && size <= kLargestStructure && offset < size && size - offset >= width;
    return offset;
  }
  bool valid() const { return valid_; }

 private:
  std::string_view bytes_;
  bool valid_ = true;
};

void describe_threads(PythonLayout& layout, const DescriptionParts& in, MemberOffsets& offsets) {
  layout.interpreters = offsets.at(in.runtime, 2, 8);
  layout.next_interpreter = offsets.at(in.interpreter, 2, 8);
  layout.threads = offsets.at(in.interpreter, 3, 8);
  layout.next_thread = offsets.at(in.thread, 2, 8);
  layout.frame = offsets.at(in.thread, 4, 8);
  layout.thread_number = offsets.at(in.thread, in.thread_number, 8);
}

void describe_frames(PythonLayout& layout, const DescriptionParts& in, MemberOffsets& offsets) {
  layout.previous = offsets.at(in.frame, 1, 8);
  layout.code = offsets.at(in.frame, 2, 8);
  layout.instruction = offsets.at(in.frame, 3, 8);
  layout.owner = offsets.at(in.frame, 5, 1);
  layout.file = offsets.at(in.code, 1, 8);
  layout.name = offsets.at(in.code, 3, 8);
  layout.line_table = offsets.at(in.code, 4, 8);
  layout.first_line = offsets.at(in.code, 5, 4);
  layout.instructions = offsets.at(in.code, 9, 1);
}

void describe_objects(PythonLayout& layout, const DescriptionParts& in, MemberOffsets& offsets) {
  layout.type = offsets.at(in.object, 1, 8);
  layout.bytes_length = offsets.at(in.bytes, 1, 8);
  layout.bytes = offsets.at(in.bytes, 2, 1);
  layout.text_state = offsets.at(in.text, 1, 4);
  layout.text_length = offsets.at(in.text, 2, 8);
  layout.ascii_text = offsets.at(in.text, 3, 1);
  layout.wide_text = layout.ascii_text + 16;  // PyCompactUnicodeObject has two more members
}

}  // namespace

std::string release_name(PythonRelease release) {
  return release == 0 ? "" : std::to_string(release >> 8) + "." + std::to_string(release & 0xFF);
}

PythonRelease release_in_path(std::string_view path) {
  constexpr std::string_view kName = "python3.";
  const size_t found = path.rfind(kName);
  PythonRelease minor = 0;
  for (size_t at = found + kName.size(); found != path.npos && at < path.size(); ++at) {
    if (path[at] < '0' || path[at] > '9') break;
    minor = minor * 10 + static_cast<PythonRelease>(path[at] - '0');
    if (minor > 0xFF) return 0;
  }
  return minor == 0 ? 0 : 0x0300 | minor;
}

const PythonLayout* table_layout(PythonRelease release) {
  for (const LayoutRow& row : kLayoutTable) {
    if (row.release == release) return &row.layout;
  }
  return nullptr;
}

PythonRelease described_release(std::string_view runtime) {
  return runtime.starts_with(kPythonCookie) ? static_cast<PythonRelease>(description_word(runtime, 1) >> 16 & 0xFFFF)
                                            : 0;
}

std::optional<PythonLayout> described_layout(std::string_view runtime) {
  const DescriptionParts* found = parts_of(described_release(runtime));
  const bool is_stable = (description_word(runtime, 1) & 0xFF) >= kOldestCandidate;
  if (found == nullptr || !is_stable || runtime.size() < kDescriptionBytes) return std::nullopt;
  PythonLayout layout;
  MemberOffsets offsets(runtime);
  describe_threads(layout, *found, offsets);
  describe_frames(layout, *found, offsets);
  describe_objects(layout, *found, offsets);
  const bool is_free_threaded = description_word(runtime, 2) != 0;
  if (is_free_threaded && found->has_thread_code) {
    layout.thread_code = PythonLayout::ThreadCode{offsets.at(found->frame, 7, 4), offsets.at(found->code, 10, 8)};
    layout.kind_bit = 8;
  }
  return offsets.valid() ? std::optional(layout) : std::nullopt;
}

}  // namespace muster
