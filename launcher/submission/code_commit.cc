#include "launcher/submission/code_commit.h"

#include <filesystem>

#include "core/base/text.h"

namespace muster {

bool in_repository(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (fs::path each = folder;; each = each.parent_path()) {
    if (fs::exists(each / ".git", ignored)) return true;
    if (each == each.parent_path()) return false;
  }
}

std::vector<std::string> commit_question(const std::string& folder) {
  return {"git",          "-C",
          folder,         "--no-optional-locks",
          "status",       "--porcelain=v2",
          "--branch",     "--no-ahead-behind",
          "--no-renames", "--untracked-files=no"};
}

// git-status(1): headers begin with #, each other line is a change.
std::string commit_in(const std::string& answer) {
  constexpr std::string_view kHead = "# branch.oid ";
  std::string commit;
  bool dirty = false;
  for (const std::string& line : split(answer, '\n')) {
    if (line.starts_with(kHead)) commit = line.substr(kHead.size());
    dirty = dirty || (!line.empty() && line[0] != '#');
  }
  const bool none_yet = commit.empty() || commit == "(initial)";
  return none_yet ? "" : commit + (dirty ? "+dirty" : "");
}

CodeCommit::CodeCommit(const std::string& workdir, const std::map<std::string, std::string>& environment)
    : workdir_(workdir),
      environment_(environment) {
  if (!in_repository(workdir_)) return;
  auto started = StartedProgram::start(program(commit_question(workdir_)));
  if (started.ok()) status_ = std::move(*started);
}

HelperProgram CodeCommit::program(std::vector<std::string> words) const {
  return {.argv = std::move(words),
          .environment = environment_,
          .patience = std::chrono::seconds(2),
          .nice = 10};  // it reads the whole tree's names while the ranks start
}

std::string CodeCommit::text() {
  if (!status_) return "";
  const auto status = status_->result();
  if (status.ok() && status->exit_code == 0) return commit_in(status->out);
  // A large tree on a slow disk: without what was changed there.
  const auto head = run_program(program({"git", "-C", workdir_, "rev-parse", "HEAD"}));
  return head.ok() && head->exit_code == 0 ? head->out.substr(0, head->out.find('\n')) : "";
}

}  // namespace muster
