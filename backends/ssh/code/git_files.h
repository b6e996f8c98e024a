// SPDX-License-Identifier: Apache-2.0
// Which files of a folder git tracks and ignores, as git itself answers: with the rules of all its files, such as .git/info/exclude
// and the user's own. Blocks; any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

namespace muster {

// Paths are relative to the folder, without a slash at their ends.
struct GitFiles {
  std::set<std::string> tracked;
  std::set<std::string> ignored;  // files, and folders of which everything is ignored
  bool itself = false;            // the folder itself is ignored; then both lists are empty
};

// Absent: there is no git, or the folder is in no repository that git reads.
std::optional<GitFiles> ask_git(const std::string& folder, const std::map<std::string, std::string>& environment);

}  // namespace muster
