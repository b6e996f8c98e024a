// SPDX-License-Identifier: Apache-2.0
// Lists the files of a folder that are copied to hosts: all except those that git or .musterignore ignores, .git folders, sockets and
// devices. Blocks; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/ssh/code/git_files.h"
#include "core/base/result.h"

namespace muster {

struct TreeFiles {
  std::vector<std::string> paths;  // relative paths of files, links and folders; a folder comes before its content
  uint64_t bytes = 0;              // size of the files
};

struct TreeLimits {
  uint64_t bytes = 0;
  size_t entries = 0;
};

// Asks git about a folder (an absolute path). nullopt: git has no answer.
using AskGit = std::function<std::optional<GitFiles>(const std::string& folder)>;

// Calls `ask` for the folder and for each repository below it. Without an answer, the rules of the repository
// count, but not the user's own.
// Files that git tracks are listed even if a rule ignores them; .musterignore excludes them, too.
// resource_exhausted: over a limit; the message names the largest files. permission_denied: a folder cannot be read.
Result<TreeFiles> list_tree(const std::string& folder, const AskGit& ask, const TreeLimits& limits);

}  // namespace muster
