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

Result<std::string> state_root(const std::map<std::string, std::string>& environment, std::string_view machine_id) {
  const std::string chosen = value_of(environment, "MUSTER_STATE_DIR");
  if (!chosen.empty() && !chosen.starts_with('/')) {
    return Status(Code::invalid_argument, "MUSTER_STATE_DIR must be an absolute path, not `" + chosen + "`");
  }
  if (!chosen.empty()) return without_trailing_slash(chosen);
  // A relative XDG path must be ignored (XDG Base Directory Specification).
  const std::string xdg = without_trailing_slash(value_of(environment, "XDG_STATE_HOME"));
  if (xdg.starts_with('/')) return xdg + "/muster/" + folder_name(machine_id);
  const std::string home = without_trailing_slash(value_of(environment, "HOME"));
  if (home.starts_with('/')) return home + "/.local/state/muster/" + folder_name(machine_id);
  return Status(Code::invalid_argument, "no folder for muster's state; set HOME or MUSTER_STATE_DIR");
}

}  // namespace muster
