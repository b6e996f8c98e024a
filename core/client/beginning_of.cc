// SPDX-License-Identifier: Apache-2.0
#include "core/client/beginning_of.h"

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

}  // namespace muster
