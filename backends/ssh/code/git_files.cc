// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/git_files.h"

#include <algorithm>
#include <vector>

#include "core/client/run_program.h"

namespace muster {
namespace {

constexpr size_t kMostNames = 64 << 20;  // bytes of git's output
constexpr auto kTimeout = std::chrono::minutes(10);

using Names = std::set<std::string>;

using Environment = std::map<std::string, std::string>;

// Absent: git failed.
std::optional<HelperResult> run_git(const std::string& folder, const Environment& environment,
                                    std::vector<std::string> words) {
  const std::vector<std::string> start = {"git", "--no-optional-locks"};
  words.insert(words.begin(), start.begin(), start.end());
  auto done = run_program({.argv = std::move(words),
                           .environment = environment,
                           .workdir = folder,
                           .patience = kTimeout,
                           .most_output = kMostNames});
  if (!done.ok() || done->exit_code != 0) return std::nullopt;
  return std::move(*done);
}

std::optional<Names> list_files(const std::string& folder, const Environment& environment,
                                const std::vector<std::string>& flags) {
  std::vector<std::string> words = {"ls-files", "-z"};
  words.insert(words.end(), flags.begin(), flags.end());
  const auto listed = run_git(folder, environment, std::move(words));
  if (!listed) return std::nullopt;
  Names names;
  for (size_t at = 0; at < listed->out.size();) {
    const size_t end = std::min(listed->out.find('\0', at), listed->out.size());
    names.insert(listed->out.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

// git lists a folder that has only ignored files like an ignored one ("runs/"), and then its files, too. Such a folder is not ignored.
Names ignored_paths(const Names& listed) {
  Names paths;
  for (auto each = listed.begin(); each != listed.end(); ++each) {
    const auto next = std::next(each);
    const bool is_folder = each->ends_with('/');
    if (*each == "./" || (is_folder && next != listed.end() && next->starts_with(*each))) continue;
    paths.insert(is_folder ? each->substr(0, each->size() - 1) : *each);
  }
  return paths;
}

}  // namespace

std::optional<GitFiles> ask_git(const std::string& folder, const std::map<std::string, std::string>& environment) {
  auto tracked = list_files(folder, environment, {});
  if (!tracked) return std::nullopt;
  const auto listed = list_files(folder, environment, {"--others", "--ignored", "--exclude-standard", "--directory"});
  if (!listed) {
    // git 2.39 fails in a folder below an ignored one: "directory entry not superset of prefix".
    const bool ignored = run_git(folder, environment, {"check-ignore", "--quiet", "."}).has_value();
    return ignored ? std::optional(GitFiles{{}, {}, true}) : std::nullopt;
  }
  if (*listed == Names{"./"}) return GitFiles{{}, {}, true};
  return GitFiles{std::move(*tracked), ignored_paths(*listed)};
}

}  // namespace muster
