// SPDX-License-Identifier: Apache-2.0
// Reads the commands of a shell script without running it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The words of each simple command in `text`, without quotes, comments, redirections and reserved words such as `if`.
// `$NAME` and `${NAME}` become the value that an earlier line of the text assigned; other expansions stay as written.
// Bodies of functions, loops and substitutions count as commands. An approximation: it is for reading what a script
// starts, not for running it.
std::vector<std::vector<std::string>> shell_commands(std::string_view text);

}  // namespace muster
