// SPDX-License-Identifier: Apache-2.0
#include "core/client/helper_python.h"

#include <algorithm>
#include <filesystem>

#include "core/base/text.h"

namespace muster {
namespace {

// `sys` is part of the interpreter. It is not read from a file.
constexpr const char* kLeaveFolder = R"(import sys
folder = [place for place in sys.path if not place][:1]
sys.path[:] = [place for place in sys.path if place]
)";

bool is_workdir(const std::string& place, const std::string& workdir) {
  namespace fs = std::filesystem;
  if (place.empty()) return true;
  const fs::path here = workdir.empty() ? fs::path(".") : fs::path(workdir);
  std::error_code ignored;
  return fs::equivalent(here / place, here, ignored);
}

// An empty entry of PYTHONPATH, as in "export PYTHONPATH=$PYTHONPATH:/lib", also means the current folder, and Python imports its first
// modules before it runs code. Returns whether there was such an entry.
bool leave_workdir(std::map<std::string, std::string>& environment, const std::string& workdir) {
  const auto path = environment.find("PYTHONPATH");
  if (path == environment.end() || path->second.empty()) return false;
  std::vector<std::string> places = split(path->second, ':');
  const size_t removed = std::erase_if(places, [&](const std::string& place) { return is_workdir(place, workdir); });
  path->second = join(places, ":");
  if (places.empty()) environment.erase(path);
  return removed > 0;
}

}  // namespace

HelperProgram helper_python(const std::string& interpreter, const std::string& code,
                            std::map<std::string, std::string> environment, const std::string& workdir) {
  const bool named = leave_workdir(environment, workdir);
  HelperProgram program;
  program.argv = {interpreter, "-c", kLeaveFolder + std::string(named ? "folder = [\"\"]\n" : "") + code};
  program.environment = std::move(environment);
  program.workdir = workdir;
  return program;
}

}  // namespace muster
