// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/state_root.h"

namespace muster {
namespace {

std::string value_of(const std::map<std::string, std::string>& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

// Makes a safe path element from any text.
std::string folder_name(std::string_view machine_id) {
  std::string name;
  for (const char c : machine_id) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
    if (plain) name += c;
    if (c == '.' && !name.empty()) name += c;
  }
  return name.empty() ? "machine" : name.substr(0, 64);
}

std::string without_trailing_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

Result<std::vector<StateCandidate>> state_candidates(const std::map<std::string, std::string>& environment,
                                                     std::string_view machine_id, uint32_t user) {
  const std::string chosen = value_of(environment, "MUSTER_STATE_DIR");
  if (!chosen.empty() && !chosen.starts_with('/')) {
    return Status(Code::invalid_argument, "MUSTER_STATE_DIR must be an absolute path, not `" + chosen + "`");
  }
  if (!chosen.empty()) return std::vector<StateCandidate>{{without_trailing_slash(chosen), "MUSTER_STATE_DIR"}};
  std::vector<StateCandidate> candidates;
  // A relative XDG path must be ignored (XDG Base Directory Specification).
  const auto add = [&](const std::string& variable, const std::string& below, bool for_others = false) {
    const std::string above = without_trailing_slash(value_of(environment, variable));
    if (!above.starts_with('/')) return;
    candidates.push_back({(above == "/" ? "" : above) + below, variable, for_others});
  };
  const std::string machine = folder_name(machine_id);
  add("XDG_STATE_HOME", "/muster/" + machine);
  add("HOME", "/.local/state/muster/" + machine);
  add("XDG_DATA_HOME", "/muster/state/" + machine);
  add("XDG_CACHE_HOME", "/muster/state/" + machine);
  add("TMPDIR", "/muster-state-" + std::to_string(user), true);
  return candidates;
}

}  // namespace muster
