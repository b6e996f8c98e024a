// SPDX-License-Identifier: Apache-2.0
// Offsets in bytes within CPython's structures that are needed to read the call stacks of another process. 64-bit builds only. Pure;
// any thread.
//
// CPython 3.13 and later describe themselves: `_PyRuntime` begins with `_Py_DebugOffsets`. CPython 3.10, 3.11 and 3.12 do not. Each
// of these has a table here; the offsets are the same in all its patch releases.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster {

struct PythonLayout {
  // _PyRuntimeState
  uint64_t interpreters = 0;  // .interpreters.head
  // PyInterpreterState
  uint64_t next_interpreter = 0;
  uint64_t threads = 0;  // .threads.head
  // PyThreadState
  uint64_t next_thread = 0;
  std::optional<uint64_t> thread_number;  // .native_thread_id; 3.10 has none
  uint64_t frame = 0;                     // the innermost frame, or the _PyCFrame that points to it
  std::optional<uint64_t> frame_in_cframe;
  // _PyInterpreterFrame; in 3.10 PyFrameObject
  uint64_t previous = 0;
  uint64_t code = 0;
  uint64_t instruction = 0;       // a pointer; in 3.10 .f_lasti: the index of the instruction
  std::optional<uint64_t> owner;  // 3.10 has none
  std::optional<uint64_t> line;   // .f_lineno; only 3.10 has it
  // PyCodeObject
  uint64_t file = 0;
  uint64_t name = 0;  // .co_qualname; in 3.10 .co_name
  uint64_t line_table = 0;
  uint64_t first_line = 0;
  uint64_t instructions = 0;  // .co_code_adaptive; not used for 3.10
  // The copies of the instructions that each thread of a free-threaded build has (3.14 and later).
  struct ThreadCode {
    uint64_t index = 0;   // _PyInterpreterFrame.tlbc_index
    uint64_t copies = 0;  // PyCodeObject.co_tlbc: a length, then pointers
  };
  std::optional<ThreadCode> thread_code;
  // PyObject, PyBytesObject, PyUnicodeObject
  uint64_t type = 0;
  uint64_t bytes_length = 0;
  uint64_t bytes = 0;
  uint64_t text_state = 0;
  uint64_t text_length = 0;
  uint64_t ascii_text = 0;  // sizeof(PyASCIIObject)
  uint64_t wide_text = 0;   // sizeof(PyCompactUnicodeObject)
  uint32_t kind_bit = 2;    // bit of .state at which the character width begins; the bits `compact` and `ascii` follow
};

// A release, as the upper half of Py_Version: 0x030B is 3.11. 0: not known.
using PythonRelease = uint32_t;

// "3.11". Empty: not known.
std::string release_name(PythonRelease release);

// "/usr/lib/libpython3.10.so.1.0" and "/usr/lib/python3.10/lib-dynload/x.so" → 0x030A. 0: the path names no release.
PythonRelease release_in_path(std::string_view path);

// The layout of CPython 3.10, 3.11 or 3.12. Null: another release.
const PythonLayout* table_layout(PythonRelease release);

// An interpreter that describes itself has these bytes at the start of its `_PyRuntime`.
inline constexpr std::string_view kPythonCookie = "xdebugpy";

// described_layout() needs this many bytes of `_PyRuntime`.
inline constexpr size_t kDescriptionBytes = 93 * sizeof(uint64_t);

// The release of the interpreter whose `_PyRuntime` begins with `runtime`. 0: it does not describe itself.
PythonRelease described_release(std::string_view runtime);

// None: it does not describe itself; it is not 3.13, 3.14 or 3.15; it is an alpha or beta version (their descriptions change); or
// an offset is outside its structure.
std::optional<PythonLayout> described_layout(std::string_view runtime);

}  // namespace muster
