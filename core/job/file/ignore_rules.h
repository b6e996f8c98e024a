// SPDX-License-Identifier: Apache-2.0
// IgnoreRules: which files of a folder are not copied to other hosts. Patterns are those of gitignore(5), from any
// number of files in the folder and its subfolders. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

class IgnoreRules {
 public:
  // Adds the rules of a file in `folder`, a path relative to the root ("" or "src/gen"). Later rules override earlier
  // ones, so add the rules of a folder before those of its subfolders.
  void add(std::string_view text, const std::string& folder);

  // Whether `path` is ignored. `path` is relative to the root ("src/a.o"), without a slash at its end. The caller does
  // not descend into an ignored folder.
  bool ignores(const std::string& path, bool is_folder) const;

 private:
  struct Rule {
    std::vector<std::string> segments;  // of the pattern; "**" matches any number of folders
    std::string folder;                 // the rule applies below it; with a slash at its end, or empty
    bool again = false;                 // `!`: a path that it matches is not ignored
    bool folders_only = false;
  };

  static bool matches(const Rule& rule, const std::string& path);

  std::vector<Rule> rules_;
};

}  // namespace muster
