// Plain YAML scalars that readers of YAML 1.1 and 1.2 understand differently. Where muster keeps a text as
// written, another tool that rewrites the file would change it, so they must be quoted. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

struct YamlTrap {
  const char* code;
  std::string reason;  // "YAML 1.1 reads `no` as false"
};

std::optional<YamlTrap> find_trap(std::string_view plain);

// 010, 0o10, -007: a number that some read in base 8.
bool is_octal(std::string_view plain);

}  // namespace muster
