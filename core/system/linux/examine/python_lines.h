// Lines of Python programs by the tables that their code objects have. A table may hold anything. Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace muster {

// The line of the instruction `unit` (two bytes each) by a code object's co_linetable, whose first line is `line`. 0: it has none.
int64_t python_line(std::string_view table, int64_t line, int64_t unit);  // CPython 3.11 and later
int64_t python_line_310(std::string_view table, int64_t line, int64_t unit);

}  // namespace muster
