// SPDX-License-Identifier: Apache-2.0
// The programs that run other programs' text. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace muster {

inline std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

inline bool is_python_name(std::string_view program) { return last_part(program).starts_with("python"); }

inline bool is_shell_name(std::string_view program) {
  constexpr std::array<std::string_view, 6> kShells{"sh", "bash", "dash", "zsh", "ksh", "ash"};
  return std::find(kShells.begin(), kShells.end(), last_part(program)) != kShells.end();
}

}  // namespace muster
