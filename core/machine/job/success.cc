// SPDX-License-Identifier: Apache-2.0
// Decides from the success rules of the groups what the exits of ranks mean for the attempt.

#include <algorithm>

#include "core/job/peer_error.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

struct Counts {
  uint32_t ranks = 0;
  uint32_t exited = 0;
  uint32_t succeeded = 0;
};

// The ranks of a group are consecutive, so most blocks belong to one group.
std::vector<Counts> counts_by_group(const State& state) {
  const auto& rules = state.rules.ranks;
  std::vector<Counts> groups(state.rules.groups.size());
  const std::vector<uint32_t> sizes = rules.total().by_group;
  for (size_t g = 0; g < sizes.size(); ++g) groups[g].ranks = sizes[g];
  const auto add = [&](uint32_t group, const RankCounts& counts) {
    groups[group].exited += counts.exited;
    groups[group].succeeded += counts.succeeded;
  };
  state.ranks.for_each_block([&](size_t first, const auto& block) {
    const size_t last = first + block.items().size() - 1;
    if (block.counts().exited == 0) return;
    if (rules[first].group == rules[last].group) return add(rules[first].group, block.counts());
    for (size_t i = first; i <= last; ++i) {
      RankCounts one;
      one.add(state.ranks[i]);
      add(rules[i].group, one);
    }
  });
  return groups;
}

bool none_failed(const RankCounts& counts) { return counts.exited == counts.succeeded; }

TimePoint end_of(const Ends& ended, uint32_t rank) {
  const auto found = ended.find(rank);
  return found == ended.end() ? TimePoint() : found->second;
}

bool first_succeeded(const State& state, size_t group) {
  const auto& rules = state.rules.ranks;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (rules[i].group == group) return state.ranks[i].phase == RankPhase::exited && state.ranks[i].exit.success();
  }
  return false;
}

bool holds(const State& state, size_t group, const Counts& counts, bool only_ignored) {
  switch (state.rules.groups[group]) {
    case SuccessRule::all: return counts.succeeded == counts.ranks;
    case SuccessRule::any: return counts.succeeded > 0;
    case SuccessRule::first: return counts.succeeded > 0 && first_succeeded(state, group);
    case SuccessRule::background:
    case SuccessRule::ignore: return !only_ignored || counts.exited == counts.ranks;
  }
  return false;
}

// With backend local all nodes are on one machine, whose name would add nothing to a message.
bool several_hosts(const State& state) {
  const auto& hosts = state.rules.nodes;
  const auto& ranks = state.rules.ranks;
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](const auto& rank) { return hosts[rank.node] != hosts[ranks.front().node]; });
}

// Orders two failures of one report: a rank that lost a peer failed because of another rank, so it comes later. Otherwise
// the earlier end comes first.
bool fails_before(const State& state, const Ends& ended, uint32_t one, uint32_t other) {
  const bool by_peer = !peer_error(state.ranks[one].exit).empty();
  const bool other_by_peer = !peer_error(state.ranks[other].exit).empty();
  return by_peer == other_by_peer ? end_of(ended, one) < end_of(ended, other) : other_by_peer;
}

bool counts_as_failure(SuccessRule rule, const Counts& counts) {
  if (rule == SuccessRule::ignore) return false;
  if (rule == SuccessRule::any) return counts.exited == counts.ranks && counts.succeeded == 0;
  return true;
}

}  // namespace

bool groups_succeeded(const State& state) {
  const std::vector<Counts> groups = counts_by_group(state);
  bool only_ignored = true;
  for (const SuccessRule rule : state.rules.groups) only_ignored &= !is_awaited(rule);
  for (size_t g = 0; g < groups.size(); ++g) {
    if (!holds(state, g, groups[g], only_ignored)) return false;
  }
  return true;
}

std::optional<Cause> first_failure(const State& state, const Ends& ended) {
  if (none_failed(state.ranks.total())) return std::nullopt;
  const std::vector<Counts> groups = counts_by_group(state);
  std::optional<uint32_t> first;
  const auto consider = [&](uint32_t i) {
    const uint32_t group = state.rules.ranks[i].group;
    const bool failed = state.ranks[i].phase == RankPhase::exited && !state.ranks[i].exit.success();
    if (!failed || !counts_as_failure(state.rules.groups[group], groups[group])) return;
    if (!first || fails_before(state, ended, i, *first)) first = i;
  };
  state.ranks.for_each_block([&](size_t begin, const auto& block) {
    if (none_failed(block.counts())) return;
    for (size_t i = begin; i < begin + block.items().size(); ++i) consider(static_cast<uint32_t>(i));
  });
  if (!first) return std::nullopt;
  const ExitStatus& exit = state.ranks[*first].exit;
  return Cause{name_with_place(state, *first) + " " + describe_exit(exit), *first, exit};
}

std::string name_with_place(const State& state, uint32_t index) {
  const Rules::RankRule& rank = state.rules.ranks[index];
  return several_hosts(state) ? rank.name + " on " + state.rules.nodes[rank.node] : rank.name;
}

}  // namespace muster::job
