// Which files a command may mean, as execvp(3) and shells look for it, but in the PATH the worker gets. Pure; any
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

// The value of PATH in `environment` ("NAME=value" entries), or what glibc takes when there is none.
std::string search_path(const std::vector<std::string>& environment);

// `program` itself when it has a slash, else one path per folder of `path`, in order. An empty folder means the
// working directory (execvp(3)).
std::vector<std::string> program_candidates(std::string_view program, const std::string& path);

}  // namespace muster
