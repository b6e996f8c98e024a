// SPDX-License-Identifier: Apache-2.0
// spam_check FILE RANKS MEGABYTES: checks that the file has every line of every rank, complete and in order, after a
// prefix that ends with "] " or "]:". Prints "whole", or what is wrong.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <vector>

#include "spam.h"

int main(int, char** argv) {
  std::ifstream file(argv[1], std::ios::binary);
  const unsigned long ranks = std::strtoul(argv[2], nullptr, 10);
  const uint64_t lines = std::strtoull(argv[3], nullptr, 10) * bench::kLinesPerMegabyte;
  std::vector<uint64_t> next(ranks, 0);
  uint64_t torn = 0;
  char expected[bench::kLine];
  for (std::string line; std::getline(file, line);) {
    const size_t at = line.find(']');
    const char* text = at == std::string::npos || at + 2 > line.size() ? line.c_str() : line.c_str() + at + 2;
    const unsigned long rank = std::strtoul(text, nullptr, 10);
    if (rank < ranks) bench::write_line(expected, static_cast<unsigned>(rank), next[rank]);
    const bool whole =
        rank < ranks && std::strlen(text) == bench::kLine - 1 && std::memcmp(text, expected, bench::kLine - 1) == 0;
    if (whole) {
      ++next[rank];
    } else {
      ++torn;
    }
  }
  uint64_t found = 0;
  for (const uint64_t each : next) found += each;
  if (torn == 0 && found == ranks * lines) {
    std::cout << "whole\n";
    return 0;
  }
  std::cout << torn << " torn or out of place, " << ranks * lines - found << " of " << ranks * lines << " not found\n";
  return 1;
}
