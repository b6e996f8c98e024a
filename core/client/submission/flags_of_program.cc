// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/flags_of_program.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/base/text.h"
#include "core/client/beginning_of.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Limits the time of the search.
constexpr size_t kMostSearched = 64;

void add_file(const fs::path& file, std::set<fs::path>& files) {
  std::error_code ignored;
  if (files.size() < kMostSearched && fs::is_regular_file(file, ignored)) files.insert(file);
}

// The files that the command names below or relative to `workdir`, and the Python files beside its scripts.
std::set<fs::path> files_of(const std::vector<std::string>& command, const fs::path& workdir) {
  std::set<fs::path> files;
  for (const std::string& word : command) {
    if (word.starts_with("-")) continue;
    add_file(workdir / word, files);
    if (!word.ends_with(".py")) continue;
    std::error_code error;
    for (fs::directory_iterator each((workdir / word).parent_path(), error), end; !error && each != end;
         each.increment(error)) {
      if (each->path().extension() == ".py") add_file(each->path(), files);
    }
  }
  return files;
}

std::set<std::string> names_of(const JobFlags& flags) {
  std::set<std::string> names = {"--hostfile", "--set", "--standalone", "--dry-run", "--detach"};
  for (const JobFlags::Mirror& mirror : flags.mirrors) names.insert(split(mirror.names, ',').back());
  return names;
}

// Programs write a flag as `--dry-run`, as "dry_run" or as a field of a class.
bool has_name(const std::string& text, const std::string& flag) {
  const std::string name = flag.substr(2);
  std::string field = name;
  std::replace(field.begin(), field.end(), '-', '_');
  return text.find(name) != std::string::npos || text.find(field) != std::string::npos;
}

}  // namespace

std::string misplaced_flag(const std::vector<std::string>& command, const std::string& workdir, const JobFlags& flags) {
  const std::set<std::string> names = names_of(flags);
  const auto found = std::find_if(command.begin(), command.end(), [&](const std::string& word) {
    return names.count(word.substr(0, word.find('='))) > 0;
  });
  if (found == command.end()) return "";
  const std::string flag = found->substr(0, found->find('='));
  const std::set<fs::path> files = files_of(command, workdir);
  const bool is_programs =
      std::any_of(files.begin(), files.end(), [&](const fs::path& file) { return has_name(beginning_of(file), flag); });
  if (files.empty() || is_programs) return "";
  return "the program gets " + flag + ", because it is after `--`; if it is meant for muster, write it before `--`";
}

}  // namespace muster
