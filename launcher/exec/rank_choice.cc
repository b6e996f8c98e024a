// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/rank_choice.h"

#include <set>
#include <vector>

#include "core/base/text.h"
#include "launcher/cli/command_line.h"

namespace muster {
namespace {

// "trainer/3" → the group and "3"; "3" → no group.
struct TypedRank {
  std::optional<std::string> group;
  std::string numbers;
};

TypedRank typed_rank(const std::string& text) {
  const size_t slash = text.rfind('/');
  if (slash == std::string::npos) return {{}, text};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

Status no_ranks(const JobView& job) {
  return Status(Code::failed_precondition, job.name + " is " + job.state + ": it has no ranks yet");
}

Status no_such(const JobView& job, const std::string& wanted) {
  std::set<uint32_t> nodes;
  for (const RankView& rank : job.ranks) nodes.insert(rank.node);
  return Status(Code::not_found, job.name + " has no " + wanted + "; it has " + count_of(job.ranks.size(), "rank") +
                                     " on " + count_of(nodes.size(), "node") + ": muster describe " + job.name);
}

// A number alone is the one in the rank's name, or, if names have groups, that in its group.
bool is_meant(const RankView& rank, uint64_t number, const std::optional<std::string>& group) {
  if (group) return rank.group == *group && rank.rank == number;
  return rank.name.starts_with("rank ") ? rank.name == "rank " + std::to_string(number) : rank.rank == number;
}

Result<uint32_t> on_node(const JobView& job, const std::string& text) {
  const auto number = parse_number("--node", text);
  if (!number.ok()) return number.status();
  for (const RankView& rank : job.ranks) {
    if (rank.node == *number) return rank.index;
  }
  return no_such(job, "node " + text);
}

Result<uint32_t> by_name(const JobView& job, const std::string& text) {
  const TypedRank typed = typed_rank(text);
  const auto number = parse_number("--rank", typed.numbers);
  if (!number.ok()) return number.status();
  std::vector<std::string> spellings;
  uint32_t index = 0;
  for (const RankView& rank : job.ranks) {
    if (!is_meant(rank, *number, typed.group)) continue;
    index = rank.index;
    spellings.push_back("--rank " + rank.group + "/" + std::to_string(rank.rank));
  }
  if (spellings.empty()) return no_such(job, "rank " + text);
  if (spellings.size() == 1) return index;
  return Status(Code::invalid_argument, "rank " + text + " of " + job.name + " is in " +
                                            count_of(spellings.size(), "group") +
                                            "; choose one: " + short_list(spellings, 4));
}

// Adds the ranks of one part of a list.
Status add_ranks(const JobView& job, const std::string& part, std::vector<uint32_t>& indices) {
  const TypedRank typed = typed_rank(part);
  const auto ranks = parse_ranks("--rank", typed.numbers);
  if (!ranks.ok()) return ranks.status();
  for (const uint32_t wanted : *ranks) {
    const size_t before = indices.size();
    for (const RankView& rank : job.ranks) {
      if (is_meant(rank, wanted, typed.group)) indices.push_back(rank.index);
    }
    if (indices.size() == before)
      return no_such(job, "rank " + (typed.group ? *typed.group + "/" : "") + std::to_string(wanted));
  }
  return {};
}

}  // namespace

Result<std::vector<uint32_t>> chosen_ranks(const JobView& job, const std::string& text) {
  std::vector<uint32_t> indices;
  for (const std::string& part : split(text, ',')) {
    if (const Status added = add_ranks(job, part, indices); !added.ok()) return added;
  }
  return indices;
}

Result<uint32_t> chosen_rank(const JobView& job, const std::optional<std::string>& rank,
                             const std::optional<std::string>& node) {
  if (job.ranks.empty()) return no_ranks(job);
  if (rank) return by_name(job, *rank);
  return node ? on_node(job, *node) : Result<uint32_t>(job.ranks.front().index);
}

}  // namespace muster
