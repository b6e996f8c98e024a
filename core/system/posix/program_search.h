// SPDX-License-Identifier: Apache-2.0
// Finds the files that a command may refer to, like execvp(3) and shells, but with the PATH of the worker. Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The value of PATH in `environment` ("NAME=value" entries), or glibc's default if it is not set.
std::string search_path(const std::vector<std::string>& environment);

// `program` itself if it contains a slash, else one path per folder of `path`, in order. An empty folder is the working
// folder (execvp(3)).
std::vector<std::string> program_candidates(std::string_view program, const std::string& path);

// The first candidate below `workdir` that is a file which may be executed; empty: there is none. Reads the file system.
std::string find_executable(std::string_view program, const std::string& path, const std::string& workdir);

// The interpreter in the first line of a script, as it is written there: "python3" of `#!/usr/bin/env -S python3 -u`. Empty: the file is
// no script (execve(2)).
std::string script_interpreter(const std::string& path);

}  // namespace muster
