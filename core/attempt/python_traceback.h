// SPDX-License-Identifier: Apache-2.0
// Finds the traceback of the exception that ended a Python program: the exception, its location and its lines. It reads the formats
// of CPython, exception groups included; of torch with a process group, which begins each line with "[rank1]: "; of torchrun, which
// begins them with "[default1]:" or shows them indented in its report; and tracebacks that a worker process sent to its parent,
// as a DataLoader's. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct OutputLine {
  std::string text;
  bool by_hook = false;  // torch's exception hook wrote it: the line began with the rank
  std::string rank;      // "rank1", if the line began with it
};

// The line without the prefixes that torch and torchrun put before it.
OutputLine output_line(std::string_view line);

// A part of the lines of an output.
using OutputLines = std::span<const OutputLine>;

// "train.py:41" of `  File "/home/a/train.py", line 41, in step`. Nothing: the line is no frame.
std::optional<std::string> frame_of(std::string_view line);
// Whether a frame's file belongs to Python or to an installed package, not to the user.
bool in_a_package(std::string_view line);

struct PythonException {
  std::string text;        // "RuntimeError: shapes do not match"
  std::string place;       // "train.py:41", the innermost frame of the user's code; may be empty
  bool own_place = false;  // the place is in the user's code
  std::string trace;       // escaped, at most 2 KiB, without the outermost frames if it is longer
  std::string rank;        // "rank1", if torch's exception hook wrote it
  size_t begin = 0;        // the first of its lines
  size_t end = 0;          // the line after its last
};

// The last exception. Nothing: there is no traceback, or more than `most_behind` lines that are not indented follow it, so the
// program had caught the exception. Lines that a launcher prints after the end of its processes do not count.
std::optional<PythonException> python_exception(OutputLines lines, size_t most_behind);

// The lines from `begin` to `end` as text, escaped: the first line, and as much of the end as fits into 2 KiB.
std::string trace_of(OutputLines lines, size_t begin, size_t end);

// The number of lines from `end` on, without empty and indented ones and those that a launcher prints after its processes ended.
size_t lines_behind(OutputLines lines, size_t end);

}  // namespace muster
