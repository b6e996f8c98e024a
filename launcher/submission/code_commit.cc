#include "launcher/submission/code_commit.h"

#include <filesystem>

#include "launcher/run_program.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

// Looked for by hand first: most folders are in no repository, and starting git costs milliseconds.
bool in_repository(const std::string& workdir) {
  std::error_code ignored;
  for (fs::path folder = workdir;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return true;
    if (folder == folder.parent_path()) return false;
  }
}

}  // namespace

std::string code_commit(const std::string& workdir, const std::map<std::string, std::string>& environment) {
  if (!in_repository(workdir)) return "";
  HelperProgram git{.argv = {"git", "--no-optional-locks", "rev-parse", "HEAD"},
                    .environment = environment,
                    .workdir = workdir,
                    .patience = std::chrono::seconds(2)};
  const auto head = run_program(git);
  if (!head.ok() || head->exit_code != 0) return "";
  std::string commit = head->out.substr(0, head->out.find('\n'));
  git.argv = {"git", "--no-optional-locks", "status", "--porcelain", "--untracked-files=no"};
  const auto changes = run_program(git);
  if (changes.ok() && changes->exit_code == 0 && !changes->out.empty()) commit += "+dirty";
  return commit;
}

}  // namespace muster
