// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/program_search.h"

#include "core/base/text.h"

namespace muster {

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

}  // namespace muster
