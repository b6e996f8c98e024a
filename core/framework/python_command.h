// What can be told of a Python command line from its words. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace muster {

// `python3 -u train.py`, or a script by its own name.
bool is_python(const std::vector<std::string>& command);

// Where the program's own arguments begin: after the script, or after `-m module` or `-c code`; else after the program.
size_t first_argument(const std::vector<std::string>& command);

}  // namespace muster
