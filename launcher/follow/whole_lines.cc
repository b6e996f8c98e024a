// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/whole_lines.h"

namespace muster {

std::vector<WholeLines::Piece> WholeLines::add(uint32_t rank, OutputStream stream, std::string_view bytes) {
  std::vector<Piece> pieces;
  const Source source{rank, stream};
  std::string& held = held_[source];
  const size_t end = bytes.rfind('\n');
  if (end != std::string_view::npos) {
    write(source, std::exchange(held, "") + std::string(bytes.substr(0, end + 1)), pieces);
    bytes.remove_prefix(end + 1);
  }
  held += bytes;
  if (held.size() > longest_held) write(source, std::exchange(held, ""), pieces);
  if (held.empty()) held_.erase(source);
  return pieces;
}

std::vector<WholeLines::Piece> WholeLines::release() {
  std::vector<Piece> pieces;
  for (auto& [source, bytes] : std::exchange(held_, {})) write(source, bytes, pieces);
  return pieces;
}

std::vector<WholeLines::Piece> WholeLines::make_room() {
  std::vector<Piece> pieces;
  std::erase_if(open_, [&](const auto& entry) {
    const bool in_the_way = same_place(entry.first, OutputStream::err);
    if (in_the_way) pieces.push_back({entry.first, "\n"});
    return in_the_way;
  });
  return pieces;
}

void WholeLines::write(const Source& source, std::string bytes, std::vector<Piece>& pieces) {
  const bool ends = bytes.back() == '\n';
  std::erase_if(open_, [&](const auto& entry) {
    const bool in_the_way = same_place(entry.first, source.second);
    if (in_the_way && entry.second != source) pieces.push_back({entry.first, "\n"});
    return in_the_way;
  });
  pieces.push_back({source.second, std::move(bytes)});
  if (!ends) open_[source.second] = source;
}

}  // namespace muster
