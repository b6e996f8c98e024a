// SPDX-License-Identifier: Apache-2.0
#include "core/client/python_choice.h"

#include <unistd.h>

#include <filesystem>

#include "core/base/text.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

bool may_run(const fs::path& path) { return access(path.c_str(), X_OK) == 0; }

// Empty: the folder has none.
std::string python_in(const fs::path& folder) {
  for (const char* name : {"python3", "python"}) {
    if (may_run(folder / name)) return folder / name;
  }
  return "";
}

bool same_folder(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  return fs::equivalent(one, other, ignored);
}

}  // namespace

std::string python_beside(const std::string& program, const std::string& workdir) {
  if (program.find('/') == std::string::npos) return "";
  const fs::path folder = (fs::path(workdir) / program).lexically_normal().parent_path();
  std::error_code ignored;
  return fs::exists(folder.parent_path() / "pyvenv.cfg", ignored) ? python_in(folder) : "";
}

std::string environment_remark(const std::string& interpreter, const std::map<std::string, std::string>& environment,
                               const std::string& cure) {
  const auto active = environment.find("VIRTUAL_ENV");
  if (active == environment.end() || active->second.empty()) return "";
  const fs::path folder = fs::path(active->second) / "bin";
  const std::string other = python_in(folder);
  if (other.empty() || same_folder(fs::path(interpreter).parent_path(), folder)) return "";
  const size_t at = cure.find('$');
  return "ranks run under " + escaped(interpreter) + ", not under the Python of VIRTUAL_ENV (" +
         escaped(active->second) + "); " + cure.substr(0, at) + escaped(other) + cure.substr(at + 1);
}

}  // namespace muster
