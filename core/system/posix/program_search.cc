// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/program_search.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kLongestLine = 256;  // as the kernel reads of `#!`

}  // namespace

std::string search_path(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "PATH=";
  for (const std::string& entry : environment) {
    if (entry.starts_with(kName)) return entry.substr(kName.size());
  }
  return "/bin:/usr/bin";
}

std::vector<std::string> program_candidates(std::string_view program, const std::string& path) {
  if (program.find('/') != std::string_view::npos) return {std::string(program)};
  std::vector<std::string> candidates;
  for (const std::string& folder : split(path, ':')) {
    candidates.push_back((folder.empty() ? "." : folder) + "/" + std::string(program));
  }
  return candidates;
}

std::string find_executable(std::string_view program, const std::string& path, const std::string& workdir) {
  namespace fs = std::filesystem;
  for (const std::string& each : program_candidates(program, path)) {
    const fs::path file = fs::path(workdir) / each;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file.string();
  }
  return "";
}

std::string script_interpreter(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char begin[2] = {};
  std::string line;
  if (path.empty() || !file.read(begin, 2) || begin[0] != '#' || begin[1] != '!' || !std::getline(file, line))
    return "";
  std::string interpreter;
  for (const std::string& word : split(line.substr(0, kLongestLine), ' ')) {
    if (!word.empty() && !word.starts_with('-') && (interpreter.empty() || interpreter.ends_with("/env")))
      interpreter = word;
  }
  return interpreter;
}

}  // namespace muster
