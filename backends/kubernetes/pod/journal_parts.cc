// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/journal_parts.h"

#include <iterator>

#include "backends/kubernetes/pod/packed_journal.h"

namespace muster::pod {
namespace {

constexpr size_t kLengthBytes = 4;
// Bytes of a part before packing.
constexpr size_t kMostOfPart = 1 << 20;

std::string with_length(const std::string& packed) {
  std::string part;
  for (size_t i = 0; i < kLengthBytes; ++i) part += static_cast<char>(packed.size() >> (8 * i) & 0xFFU);
  return part + packed;
}

}  // namespace

std::string pack_parts(const std::vector<std::string>& lines) {
  std::string parts;
  for (auto from = lines.begin(); from != lines.end();) {
    auto until = from;
    for (size_t size = 0; until != lines.end() && (until == from || size + until->size() <= kMostOfPart); ++until)
      size += until->size();
    const std::string packed = pack_journal(std::vector<std::string>(from, until));
    if (packed.empty()) return "";
    parts += with_length(packed);
    from = until;
  }
  return parts;
}

Result<std::vector<std::string>> unpack_parts(std::string_view parts) {
  std::vector<std::string> lines;
  while (parts.size() >= kLengthBytes) {
    size_t length = 0;
    for (size_t i = 0; i < kLengthBytes; ++i) length |= size_t{static_cast<unsigned char>(parts[i])} << (8 * i);
    if (length > parts.size() - kLengthBytes) break;
    auto part = unpack_journal(parts.substr(kLengthBytes, length));
    if (!part.ok()) return part;
    lines.insert(lines.end(), std::make_move_iterator(part->begin()), std::make_move_iterator(part->end()));
    parts.remove_prefix(kLengthBytes + length);
  }
  return lines;
}

}  // namespace muster::pod
