// SPDX-License-Identifier: Apache-2.0
// Finds source lines with the tables of Python's code objects. A table may contain anything. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

// The line of instruction `unit` (two bytes each), from a code object's co_linetable whose first line is `line`. 0: it has no line.
int64_t python_line(std::string_view table, int64_t line, int64_t unit);  // CPython 3.11 and later
int64_t python_line_310(std::string_view table, int64_t line, int64_t unit);

}  // namespace muster
