// SPDX-License-Identifier: Apache-2.0
// spam MEGABYTES: writes MEGABYTES of numbered lines to stdout, 64 KiB at a time.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "spam.h"

namespace {

// Writes all bytes: write(2) may take only a part.
bool write_all(const char* data, size_t left) {
  while (left > 0) {
    const ssize_t wrote = write(STDOUT_FILENO, data, left);
    if (wrote <= 0) return false;
    data += wrote;
    left -= static_cast<size_t>(wrote);
  }
  return true;
}

}  // namespace

int main(int, char** argv) {
  const char* rank = std::getenv("RANK") != nullptr ? std::getenv("RANK") : std::getenv("MUSTER_RANK");
  const unsigned number = static_cast<unsigned>(std::strtoul(rank == nullptr ? "0" : rank, nullptr, 10));
  const uint64_t lines = std::strtoull(argv[1], nullptr, 10) * bench::kLinesPerMegabyte;
  constexpr uint64_t block = 655;
  std::vector<char> buffer(block * bench::kLine);
  for (uint64_t first = 0; first < lines; first += block) {
    const uint64_t count = std::min(block, lines - first);
    for (uint64_t i = 0; i < count; ++i) bench::write_line(&buffer[i * bench::kLine], number, first + i);
    if (!write_all(buffer.data(), count * bench::kLine)) return 1;
  }
  return 0;
}
