// The traceback that Python wrote as an exception ended it: which exception, where, and its lines. Understands text only, as CPython
// writes it, groups of exceptions included, and as torch does once there is a process group: each line behind "[rank1]: ". Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct OutputLine {
  std::string text;
  bool by_hook = false;  // torch's hook for exceptions wrote it, which puts the rank before each line
};

// Without the rank that torch puts before it.
OutputLine output_line(std::string_view line);

struct PythonException {
  std::string said;   // "RuntimeError: shapes do not match at train.py:41": the innermost frame that is the user's own
  std::string trace;  // escaped, at most 2 KiB, inner frames first to stay
};

// The last one; none where there is no traceback, or more than `most_behind` lines follow it that are not indented: a
// program that went on for long had caught it.
std::optional<PythonException> python_exception(const std::vector<OutputLine>& lines, size_t most_behind);

}  // namespace muster
