// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/job_folder.h"

#include <algorithm>
#include <filesystem>

namespace muster {
namespace {

namespace fs = std::filesystem;

bool goes_up(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& each) { return each == "." || each == ".."; });
}

bool same_folder(const fs::path& one, const fs::path& other) {
  std::error_code error;
  return fs::equivalent(one, other, error) && !error;
}

// $PWD by the conditions of `pwd -L` (POSIX); empty: it does not name the current folder.
fs::path shell_folder(const CallerContext& caller) {
  const fs::path named = caller.variable("PWD").value_or("");
  return named.is_absolute() && !goes_up(named) && same_folder(named, caller.workdir) ? named : fs::path();
}

}  // namespace

std::string job_folder(const std::string& base, const std::string& workdir, const CallerContext& caller) {
  const fs::path below = (fs::path(base) / workdir).lexically_normal();
  const fs::path real = (fs::path(caller.workdir) / below).lexically_normal();
  const fs::path shell = shell_folder(caller);
  const fs::path named = (shell / below).lexically_normal();
  // ".." behind a link leads elsewhere for the kernel than in the path's text.
  const bool same = below.empty() || *below.begin() != ".." || same_folder(named, real);
  std::string folder = !shell.empty() && same ? named : real;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder;
}

}  // namespace muster
