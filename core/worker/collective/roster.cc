// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/roster.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster::worker {
namespace {

constexpr size_t most_named = 8;

}  // namespace

std::string Roster::name_of(uint32_t rank) const {
  if (rank >= members.size()) return "rank " + std::to_string(rank) + " of `" + name + "`";
  const std::string text = "rank " + std::to_string(members[rank]);
  return members[rank] == rank ? text : text + " (" + std::to_string(rank) + " of `" + name + "`)";
}

std::string Roster::names_of(const std::vector<uint32_t>& ranks) const {
  if (ranks.size() == 1) return name_of(ranks[0]);
  std::vector<std::string> names;
  for (const uint32_t rank : ranks) names.push_back(std::to_string(rank < members.size() ? members[rank] : rank));
  if (names.size() > most_named) return "ranks " + short_list(names, most_named);
  const std::string last = names.back();
  names.pop_back();
  return "ranks " + join(names, ", ") + " and " + last;
}

std::vector<std::string> Roster::names() const {
  std::vector<std::string> all;
  for (uint32_t other = 0; other < size(); ++other) all.push_back(name_of(other));
  return all;
}

std::vector<uint32_t> Roster::sorted() const {
  std::vector<uint32_t> ranks = members;
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::vector<std::string> Roster::by_rank(const std::vector<std::string>& values) const {
  const std::vector<uint32_t> order = sorted();
  std::vector<std::string> result;
  for (const uint32_t member : members) {
    result.push_back(values.at(std::lower_bound(order.begin(), order.end(), member) - order.begin()));
  }
  return result;
}

}  // namespace muster::worker
