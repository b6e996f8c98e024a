// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/tree_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/base/text.h"
#include "core/job/file/ignore_rules.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNamed = 3;  // largest files in the message
constexpr uintmax_t kMostRules = 1 << 20;

struct Sized {
  uint64_t bytes = 0;
  std::string path;
};

class Walk {
 public:
  Walk(std::string root, const AskGit& ask, const TreeLimits& limits)
      : root_(std::move(root)),
        ask_(ask),
        limits_(limits) {}

  Result<TreeFiles> all() {
    const Git git = ask_about("");
    if (git == Git::unknown) read_rules_above();
    const Status walked = enter("", {.by_git = git == Git::answers});
    if (!walked.ok()) return walked;
    if (found_.bytes > limits_.bytes || found_.paths.size() > limits_.entries) return too_much();
    return std::move(found_);
  }

 private:
  struct Within {
    bool by_git = false;   // git has answered for this folder; else the .gitignore files count
    bool ignored = false;  // the folder is ignored, so only tracked files are listed
  };

  fs::path at(const std::string& path) const { return path.empty() ? fs::path(root_) : fs::path(root_) / path; }

  // Empty for a pipe, which could block, and for a link.
  static std::string content(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(file, error)) || fs::file_size(file, error) > kMostRules) return "";
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  // ignores: the folder itself, such as one below a home folder that is a repository with `*` in its .gitignore. Then no rule above
  // is about its files.
  enum class Git { unknown, ignores, answers };

  Git ask_about(const std::string& folder) {
    const auto answer = ask_(at(folder));
    if (!answer) return Git::unknown;
    if (answer->itself) return Git::ignores;
    const std::string before = folder.empty() ? "" : folder + "/";
    for (const std::string& path : answer->ignored) ignored_.insert(before + path);
    for (const std::string& path : answer->tracked) {
      for (std::string each = before + path; !each.empty(); each = fs::path(each).parent_path()) kept_.insert(each);
    }
    return Git::answers;
  }

  // The rules of the repository's root, and of the folders between it and root_.
  void read_rules_above() {
    std::error_code error;
    std::vector<fs::path> folders;
    fs::path top = fs::path(root_).lexically_normal();
    for (; !fs::exists(top / ".git", error); top = top.parent_path()) {
      if (top == top.parent_path()) return;
      folders.push_back(top.parent_path());
    }
    in_repository_ = fs::path(root_).lexically_relative(top).string();
    if (in_repository_ == ".") in_repository_.clear();
    git_.add(content(top / ".git/info/exclude"), "");
    for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder)
      git_.add(content(*folder / ".gitignore"), *folder == top ? "" : folder->lexically_relative(top).string());
    for (fs::path each = in_repository_; !each.empty(); each = each.parent_path()) {
      if (!git_.ignores(each, true)) continue;
      git_ = IgnoreRules();
      in_repository_.clear();
      return;
    }
  }

  std::string path_in_repository(const std::string& path) const {
    return in_repository_.empty() || path.empty() ? in_repository_ + path : in_repository_ + "/" + path;
  }

  bool is_repository(const std::string& folder) const {
    std::error_code error;
    return fs::exists(at(folder) / ".git", error);
  }

  Status enter(const std::string& folder, Within within) {
    if (!folder.empty() && is_repository(folder)) within.by_git = ask_about(folder) == Git::answers;
    if (!within.by_git) git_.add(content(at(folder) / ".gitignore"), path_in_repository(folder));
    own_.add(content(at(folder) / ".musterignore"), folder);
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator each(at(folder), error), end; !error && each != end; each.increment(error))
      entries.push_back(*each);
    if (error) return Status(Code::permission_denied, at(folder).string() + " cannot be read: " + error.message());
    std::sort(entries.begin(), entries.end());
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename();
      const Status taken = take(entry, folder.empty() ? name : folder + "/" + name, within);
      if (!taken.ok()) return taken;
    }
    return Status();
  }

  bool never_travels(const std::string& path, bool is_folder) const {
    return fs::path(path).filename() == ".git" || own_.ignores(path, is_folder);
  }

  // A link is copied as a link.
  Status take(const fs::directory_entry& entry, const std::string& path, Within within) {
    std::error_code error;
    const fs::file_status status = entry.symlink_status(error);
    const bool is_folder = status.type() == fs::file_type::directory;
    const bool known = is_folder || status.type() == fs::file_type::regular || status.type() == fs::file_type::symlink;
    if (!known || never_travels(path, is_folder)) return Status();
    within.ignored |= ignored_.count(path) > 0 || (!within.by_git && git_.ignores(path_in_repository(path), is_folder));
    if (within.ignored && kept_.count(path) == 0) return Status();
    found_.paths.push_back(path);
    if (is_folder) return found_.paths.size() > limits_.entries ? Status() : enter(path, within);
    if (status.type() == fs::file_type::regular) weigh({entry.file_size(error), path});
    return Status();
  }

  void weigh(const Sized& file) {
    found_.bytes += file.bytes;
    largest_.push_back(file);
    std::sort(largest_.begin(), largest_.end(), [](const Sized& a, const Sized& b) { return a.bytes > b.bytes; });
    if (largest_.size() > kNamed) largest_.pop_back();
  }

  Status too_much() const {
    std::vector<std::string> named;
    for (const Sized& file : largest_) named.push_back(file.path + " (" + humane_size(file.bytes) + ")");
    const std::string how_much =
        found_.bytes > limits_.bytes
            ? humane_size(found_.bytes) + ", more than the limit of " + humane_size(limits_.bytes)
            : "more than the limit of " + count_of(limits_.entries, "file");
    return Status(Code::resource_exhausted, root_ + " has " + how_much + "; the largest files: " + join(named, ", "));
  }

  const std::string root_;
  const AskGit& ask_;
  const TreeLimits limits_;
  std::set<std::string> kept_;     // what git tracks, with the parent folders
  std::set<std::string> ignored_;  // as git says
  std::string in_repository_;  // where root_ is in its repository; empty: it is the root, or in none, or git answered
  IgnoreRules git_;            // by paths in the repository
  IgnoreRules own_;
  TreeFiles found_;
  std::vector<Sized> largest_;
};

}  // namespace

Result<TreeFiles> list_tree(const std::string& folder, const AskGit& ask, const TreeLimits& limits) {
  return Walk(folder, ask, limits).all();
}

}  // namespace muster
