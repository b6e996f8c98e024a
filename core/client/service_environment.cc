// SPDX-License-Identifier: Apache-2.0
#include "core/client/service_environment.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace muster {
namespace {

constexpr std::array<std::string_view, 9> kNames = {"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                                    "LANG", "LANGUAGE", "TZ",   "TMPDIR"};

// Settings of muster, the locale, folders (XDG), the dynamic loader, and libraries of this program.
constexpr std::array<std::string_view, 9> kPrefixes = {"MUSTER_", "LC_",   "XDG_",  "LD_",   "GRPC_",
                                                       "HWLOC_",  "ASAN_", "LSAN_", "UBSAN_"};

// MUSTER_TOKEN is a secret of one command (launcher/composition/wire.h).
bool is_needed(std::string_view name) {
  if (name == "MUSTER_TOKEN") return false;
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end() ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view each) { return name.starts_with(each); });
}

}  // namespace

std::vector<std::string> service_environment(const std::map<std::string, std::string>& shell) {
  std::vector<std::string> environment;
  for (const auto& [name, value] : shell) {
    if (is_needed(name)) environment.push_back(name + "=" + value);
  }
  return environment;
}

}  // namespace muster
