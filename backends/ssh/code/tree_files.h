// Which files of a folder travel to hosts: all but what .gitignore and .musterignore files name, repositories of git, sockets
// and devices. Blocks; any thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace muster {

struct TreeFiles {
  std::vector<std::string> paths;  // of files, links and folders, relative, in order: a folder before what is in it
  uint64_t bytes = 0;              // of the files
};

struct TreeLimits {
  uint64_t bytes = 0;
  size_t entries = 0;
};

// `kept` travels whatever .gitignore says (files that git knows); .musterignore is stronger. resource_exhausted: it is more than
// the limits; the sentence names the largest. Else what cannot be read.
Result<TreeFiles> list_tree(const std::string& folder, const std::set<std::string>& kept, const TreeLimits& limits);

}  // namespace muster
