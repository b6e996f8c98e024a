// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/checked_line.h"

#include <array>
#include <cstdio>

namespace muster::store {
namespace {

constexpr std::string_view kVersion = "v1 ";
constexpr size_t kHeader = 3 + 8 + 1;

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0x82F63B78u : 0);
    table[i] = value;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = make_table();

std::string hex8(uint32_t number) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", number);
  return text;
}

// `v2 …`, `v17 …`: written by a newer version. Such a line must not be treated as damage and cut off.
bool is_newer(std::string_view line) {
  size_t at = 1;
  while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
  return line.starts_with('v') && at > 1 && at < line.size() && line[at] == ' ' && !line.starts_with(kVersion);
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t value = ~0u;
  for (const char byte : bytes) value = kTable[(value ^ static_cast<unsigned char>(byte)) & 0xFF] ^ (value >> 8);
  return ~value;
}

std::string checked_line(std::string_view payload) {
  std::string line(kVersion);
  line += hex8(crc32c(payload));
  line += ' ';
  line += payload;
  return line;
}

std::optional<std::string_view> read_checked_line(std::string_view line) {
  if (line.size() < kHeader || !line.starts_with(kVersion) || line[kHeader - 1] != ' ') return std::nullopt;
  const std::string_view payload = line.substr(kHeader);
  if (line.substr(kVersion.size(), 8) != hex8(crc32c(payload))) return std::nullopt;
  return payload;
}

JournalText parse_journal(std::string_view content) {
  JournalText text;
  while (text.whole_bytes < content.size()) {
    const std::string_view rest = content.substr(text.whole_bytes);
    const size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    const std::optional<std::string_view> payload = read_checked_line(line);
    if (!payload || end == std::string_view::npos) {
      text.newer = is_newer(line);
      return text;
    }
    text.lines.emplace_back(*payload);
    text.whole_bytes += end + 1;
  }
  return text;
}

}  // namespace muster::store
