// SPDX-License-Identifier: Apache-2.0
// Finds what a program printed before a signal or abort() ended it: an exception of C++ ("terminate called …"), an assertion of C
// or of a GPU kernel, glibc's checks of the heap and stack, a failed CHECK of glog, a panic of Rust, the summary of a sanitizer,
// "Fatal Python error: …" and faulthandler's timeout, with the Python line that they name. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/attempt/python_traceback.h"

namespace muster {

struct CrashMessage {
  std::string text;   // "c10::Error: CUDA error: an illegal memory access was encountered"
  std::string place;  // "train.py:41", where the crashed thread was in the user's Python code; may be empty
  std::string trace;  // the Python functions of that thread, escaped, at most 2 KiB; may be empty
  size_t begin = 0;   // the first of its lines
  size_t end = 0;     // the line after its last
};

// The last crash. Nothing: there is none, or more than `most_behind` lines follow it (lines_behind()), so the program continued.
std::optional<CrashMessage> crash_message(OutputLines lines, size_t most_behind);

// Whether the line belongs to a stack that a crash handler prints, and so says nothing by itself.
bool is_stack_line(std::string_view line);

}  // namespace muster
