// SPDX-License-Identifier: Apache-2.0
#include "core/output/order_index.h"

#include <algorithm>
#include <numeric>

#include "core/output/output_retention.h"

namespace muster {
namespace {

// Lines of more writes are not looked for.
constexpr uint64_t kMostWritesOfLine = 256;
// In fewer lines, a number of writes for each can fit by chance.
constexpr uint64_t kProof = 4;

// Lines that end in the first turn. It may begin within a line.
uint64_t lines_of_first(const TurnedBytes& turned, uint64_t of_line) {
  const uint64_t writes = turned.writes.front();
  return turned.begins_line ? writes / of_line : (writes + of_line - 1) / of_line;
}

// Writes of one line.
uint64_t writes_of_line(const TurnedBytes& turned) {
  const std::vector<uint32_t>& writes = turned.writes;
  const auto ends = static_cast<uint64_t>(std::count(turned.bytes.begin(), turned.bytes.end(), '\n'));
  const bool cut = !turned.bytes.ends_with('\n');
  const uint64_t between = std::accumulate(writes.begin() + 1, writes.end() - 1, uint64_t{0});
  uint64_t common = turned.begins_line ? writes.front() : 0;
  for (size_t turn = 1; turn + 1 < writes.size(); ++turn) common = std::gcd(common, uint64_t{writes[turn]});
  const uint64_t most = common > 0 ? common : uint64_t{std::max(writes.front(), writes.back())};
  for (uint64_t of_line = std::min(most, kMostWritesOfLine); of_line > 0; --of_line) {
    const uint64_t lines = lines_of_first(turned, of_line) + between / of_line;
    if (common % of_line != 0 || lines > ends || (of_line > 1 && ends < kProof)) continue;
    const uint64_t last = (ends - lines) * of_line;
    if (cut ? last < writes.back() && writes.back() < last + of_line : last == writes.back()) return of_line;
  }
  return common > 0 ? common : uint64_t{writes.front()};
}

}  // namespace

std::string order_path(const std::string& output_path) {
  return output_path.substr(0, output_path.rfind('.')) + ending_of(OutputStream::order);
}

Result<uint64_t> bound_order(OutputKeeper& keeper, const std::string& order, uint64_t size, uint64_t kept) {
  const uint64_t wanted = keep_from(size, kept, kMostOrderBytes);
  if (wanted == kept) return kept;
  return keeper.drop_before(order, wanted);
}

std::vector<uint64_t> turn_ends(const TurnedBytes& turned) {
  std::vector<uint64_t> ends;
  const uint64_t of_line = turned.writes.size() < 2 ? 1 : writes_of_line(turned);
  uint64_t due = 0;
  uint64_t lines = 0;
  uint64_t end = 0;
  for (size_t turn = 0; turn + 1 < turned.writes.size(); ++turn) {
    due += turn == 0 ? lines_of_first(turned, of_line) : turned.writes[turn] / of_line;
    for (; lines < due && end < turned.bytes.size(); ++lines) {
      const size_t line = turned.bytes.find('\n', end);
      end = line == std::string_view::npos ? turned.bytes.size() : line + 1;
    }
    ends.push_back(end);
  }
  if (!turned.writes.empty()) ends.push_back(turned.bytes.size());
  return ends;
}

}  // namespace muster
