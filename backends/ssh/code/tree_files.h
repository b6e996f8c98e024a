// SPDX-License-Identifier: Apache-2.0
// Lists the files of a folder that are copied to hosts: all except those that .gitignore or .musterignore excludes, .git folders,
// sockets and devices. Blocks; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

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

// Files in `kept` (those that git tracks) are listed even if .gitignore excludes them; .musterignore excludes them, too.
// resource_exhausted: over a limit; the message names the largest files. permission_denied: a folder cannot be read.
Result<TreeFiles> list_tree(const std::string& folder, const std::set<std::string>& kept, const TreeLimits& limits);

}  // namespace muster
