// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/tree_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
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
  Walk(std::string root, const std::set<std::string>& kept, const TreeLimits& limits)
      : root_(std::move(root)),
        limits_(limits) {
    for (const std::string& path : kept) {
      for (std::string folder = path; !folder.empty(); folder = fs::path(folder).parent_path()) kept_.insert(folder);
    }
  }

  Result<TreeFiles> all() {
    const Status walked = enter("", false);
    if (!walked.ok()) return walked;
    if (found_.bytes > limits_.bytes || found_.paths.size() > limits_.entries) return too_much();
    return std::move(found_);
  }

 private:
  fs::path at(const std::string& path) const { return path.empty() ? fs::path(root_) : fs::path(root_) / path; }

  // Empty for a pipe, which could block, and for a link.
  static std::string content(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(fs::symlink_status(file, error)) || fs::file_size(file, error) > kMostRules) return "";
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return text.str();
  }

  // `ignored`: the folder is excluded, so only files in kept_ are listed.
  Status enter(const std::string& folder, bool ignored) {
    git_.add(content(at(folder) / ".gitignore"), folder);
    own_.add(content(at(folder) / ".musterignore"), folder);
    std::error_code error;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator each(at(folder), error), end; !error && each != end; each.increment(error))
      entries.push_back(*each);
    if (error) return Status(Code::permission_denied, at(folder).string() + " cannot be read: " + error.message());
    std::sort(entries.begin(), entries.end());
    for (const fs::directory_entry& entry : entries) {
      const std::string name = entry.path().filename();
      const Status taken = take(entry, folder.empty() ? name : folder + "/" + name, ignored);
      if (!taken.ok()) return taken;
    }
    return Status();
  }

  bool never_travels(const std::string& path, bool is_folder) const {
    return fs::path(path).filename() == ".git" || own_.ignores(path, is_folder);
  }

  // A link is copied as a link.
  Status take(const fs::directory_entry& entry, const std::string& path, bool in_ignored) {
    std::error_code error;
    const fs::file_status status = entry.symlink_status(error);
    const bool is_folder = status.type() == fs::file_type::directory;
    const bool known = is_folder || status.type() == fs::file_type::regular || status.type() == fs::file_type::symlink;
    if (!known || never_travels(path, is_folder)) return Status();
    const bool ignored = in_ignored || git_.ignores(path, is_folder);
    if (ignored && kept_.count(path) == 0) return Status();
    found_.paths.push_back(path);
    if (is_folder) return found_.paths.size() > limits_.entries ? Status() : enter(path, ignored);
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
  const TreeLimits limits_;
  std::set<std::string> kept_;  // with their parent folders
  IgnoreRules git_;
  IgnoreRules own_;
  TreeFiles found_;
  std::vector<Sized> largest_;
};

}  // namespace

Result<TreeFiles> list_tree(const std::string& folder, const std::set<std::string>& kept, const TreeLimits& limits) {
  return Walk(folder, kept, limits).all();
}

}  // namespace muster
