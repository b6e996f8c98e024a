// SPDX-License-Identifier: Apache-2.0
// Line number `index` of a rank, 100 bytes: what spam prints and spam_check expects. Cheap, because the printing process is measured too.
#pragma once

#include <cstdint>
#include <cstring>

namespace bench {

constexpr size_t kLine = 100;
constexpr uint64_t kLinesPerMegabyte = 1'000'000 / kLine;

inline void write_line(char* to, unsigned rank, uint64_t index) {
  static const char letters[] =
      "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"
      "abcdefghijklmnopqrstuvwxyz";
  constexpr size_t digits = 10;
  to[0] = static_cast<char>('0' + rank % 10);
  to[1] = ' ';
  std::memcpy(to + digits + 2, letters + index % 26, kLine - digits - 3);
  for (size_t i = digits; i > 0; --i, index /= 10) to[1 + i] = static_cast<char>('0' + index % 10);
  to[kLine - 1] = '\n';
}

}  // namespace bench
