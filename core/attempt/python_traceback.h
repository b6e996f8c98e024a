// SPDX-License-Identifier: Apache-2.0
// Finds the traceback of the exception that ended a Python program: the exception, its location and its lines. It reads the formats
// of CPython, exception groups included, and of torch with a process group, which begins each line with "[rank1]: ". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct OutputLine {
  std::string text;
  bool by_hook = false;  // torch's exception hook wrote it: the line began with the rank
};

// The line without torch's rank prefix.
OutputLine output_line(std::string_view line);

struct PythonException {
  std::string said;   // "RuntimeError: shapes do not match at train.py:41", the innermost frame of the user's code
  std::string trace;  // escaped, at most 2 KiB, without the outermost frames if it is longer
};

// The last exception. Nothing: there is no traceback, or more than `most_behind` lines that are not indented follow it, so the
// program had caught the exception.
std::optional<PythonException> python_exception(const std::vector<OutputLine>& lines, size_t most_behind);

}  // namespace muster
