// SPDX-License-Identifier: Apache-2.0
#include "core/output/order_index.h"

#include <algorithm>
#include <numeric>

#include "core/output/output_retention.h"

namespace muster {
namespace {

// Writes of one line.
uint64_t writes_of_line(const TurnedBytes& turned) {
  const std::vector<uint32_t>& writes = turned.writes;
  const uint64_t begun = turned.begins_line ? 0 : 1;
  const uint64_t cut = turned.bytes.ends_with('\n') ? 0 : 1;
  const auto ends = static_cast<uint64_t>(std::count(turned.bytes.begin(), turned.bytes.end(), '\n'));
  const uint64_t all = std::accumulate(writes.begin(), writes.end(), uint64_t{0});
  if (ends > begun && all > begun + cut && (all - begun - cut) % (ends - begun) == 0)
    return (all - begun - cut) / (ends - begun);
  // How many of the first turn's writes end the line that was begun before is not known.
  uint64_t shortest = turned.begins_line ? writes.front() : 0;
  for (size_t turn = 1; turn + 1 < writes.size(); ++turn) shortest = std::gcd(shortest, uint64_t{writes[turn]});
  return shortest > 0 ? shortest : std::max<uint64_t>(all / std::max<uint64_t>(ends, 1), 1);
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
  // The writes before the first whole line end a line that was begun before.
  const uint64_t begun = turned.begins_line ? 0 : of_line - 1;
  uint64_t writes = begun;
  uint64_t lines = 0;
  uint64_t end = 0;
  for (size_t turn = 0; turn + 1 < turned.writes.size(); ++turn) {
    writes += turned.writes[turn];
    for (; lines < writes / of_line && end < turned.bytes.size(); ++lines) {
      const size_t line = turned.bytes.find('\n', end);
      end = line == std::string_view::npos ? turned.bytes.size() : line + 1;
    }
    ends.push_back(end);
  }
  if (!turned.writes.empty()) ends.push_back(turned.bytes.size());
  return ends;
}

}  // namespace muster
