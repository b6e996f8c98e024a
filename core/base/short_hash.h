// SPDX-License-Identifier: Apache-2.0
// short_hash: a hash of a text as sixteen hexadecimal digits, for file names (FNV-1a by Fowler, Noll and Vo). It is the
// same in every process and build. It is not a cryptographic hash. Pure.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace muster {

inline std::string short_hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  char buffer[24];
  std::snprintf(buffer, sizeof buffer, "%016llx", static_cast<unsigned long long>(hash));
  return buffer;
}

}  // namespace muster
