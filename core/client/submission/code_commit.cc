// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/code_commit.h"

#include <filesystem>

#include "core/base/text.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Checked before git is started: most folders are in no repository, and starting git takes milliseconds.
bool in_repository(const std::string& workdir) {
  std::error_code ignored;
  for (fs::path folder = workdir;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return true;
    if (folder == folder.parent_path()) return false;
  }
}

// The commit in the output of `git status --porcelain=v2 --branch` (git-status(1)): lines with # are headers, all others
// are changes.
std::string commit_in(const std::string& status) {
  constexpr std::string_view kHead = "# branch.oid ";
  std::string commit;
  bool dirty = false;
  for (const std::string& line : split(status, '\n')) {
    if (line.starts_with(kHead)) commit = line.substr(kHead.size());
    dirty = dirty || (!line.empty() && line[0] != '#');
  }
  const bool none_yet = commit.empty() || commit == "(initial)";
  return none_yet ? "" : commit + (dirty ? "+dirty" : "");
}

}  // namespace

CodeCommit::CodeCommit(const std::string& workdir, const std::map<std::string, std::string>& environment)
    : workdir_(workdir),
      environment_(environment) {
  if (!in_repository(workdir_)) return;
  auto started = StartedProgram::start(
      program({"status", "--porcelain=v2", "--branch", "--no-ahead-behind", "--no-renames", "--untracked-files=no"}));
  if (started.ok()) status_ = std::move(*started);
}

HelperProgram CodeCommit::program(std::vector<std::string> words) const {
  words.insert(words.begin(), {"git", "--no-optional-locks"});
  return {.argv = std::move(words),
          .environment = environment_,
          .workdir = workdir_,
          .patience = std::chrono::seconds(2),
          .nice = 10};  // git reads the whole tree while the ranks start
}

std::string CodeCommit::text() {
  if (!status_) return "";
  const auto status = status_->result();
  if (status.ok() && status->exit_code == 0) return commit_in(status->out);
  // git status took too long (a large tree on a slow disk): returns the commit without "+dirty".
  const auto head = run_program(program({"rev-parse", "HEAD"}));
  return head.ok() && head->exit_code == 0 ? head->out.substr(0, head->out.find('\n')) : "";
}

}  // namespace muster
