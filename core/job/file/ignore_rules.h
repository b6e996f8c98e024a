// What of a folder does not travel: patterns as gitignore(5) has them, of any number of files in any folders below it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace muster {

class IgnoreRules {
 public:
  // The rules of a file in `folder`, relative to where the rules begin ("" or "src/gen"). Later ones win over earlier ones, so
  // a folder's come before those of the folders in it.
  void add(std::string_view text, const std::string& folder);

  // `path` is relative ("src/a.o"), without a slash at its end. Nobody asks for what lies in a folder that is ignored.
  bool ignores(const std::string& path, bool is_folder) const;

 private:
  struct Rule {
    std::vector<std::string> segments;  // of the pattern; "**" stands for any number of folders
    std::string folder;                 // it holds below; with a slash at its end, or empty
    bool again = false;                 // what it matches travels after all
    bool folders_only = false;
  };

  static bool matches(const Rule& rule, const std::string& path);

  std::vector<Rule> rules_;
};

}  // namespace muster
