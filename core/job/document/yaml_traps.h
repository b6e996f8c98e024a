// SPDX-License-Identifier: Apache-2.0
// Finds plain YAML scalars that YAML 1.1 and 1.2 read differently. muster keeps a text as written, but another tool
// that rewrites the file could change it, so such texts must be quoted. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

struct YamlTrap {
  const char* code;
  std::string reason;  // "YAML 1.1 reads `no` as false, YAML 1.2 reads it as a text"
};

std::optional<YamlTrap> find_trap(std::string_view plain);

// Whether some YAML readers read `plain` in base 8: 010, 0o10, -007.
bool is_octal(std::string_view plain);

}  // namespace muster
