// SPDX-License-Identifier: Apache-2.0
#include "core/client/beginning_of.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace muster {

std::string beginning_of(const std::string& path) {
  constexpr size_t most_read = 1 << 20;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return "";
  std::ifstream file(path, std::ios::binary);
  std::string text(most_read, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

std::string beginning_of_stdin(size_t most) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() < most) {
    const ssize_t length = read(STDIN_FILENO, buffer.data(), std::min(buffer.size(), most - text.size()));
    if (length <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(length));
  }
  return text;
}

}  // namespace muster
