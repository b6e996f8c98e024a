// What the ranks' ends mean for the attempt, by the groups' success rules.

#include <algorithm>

#include "core/machine/job/decision.h"
#include "core/model/peer_error.h"

namespace muster::job {
namespace {

struct Tally {
  uint32_t ranks = 0;
  uint32_t exited = 0;
  uint32_t succeeded = 0;
};

std::vector<Tally> tallies(const State& state) {
  std::vector<Tally> groups(state.rules.groups.size());
  for (size_t i = 0; i < state.ranks.size(); ++i) {
    Tally& tally = groups[state.rules.ranks[i].group];
    ++tally.ranks;
    if (state.ranks[i].phase != RankState::Phase::exited) continue;
    ++tally.exited;
    if (state.ranks[i].exit.success()) ++tally.succeeded;
  }
  return groups;
}

bool holds(SuccessRule rule, const Tally& tally, bool only_ignored) {
  switch (rule) {
    case SuccessRule::all: return tally.succeeded == tally.ranks;
    case SuccessRule::any: return tally.succeeded > 0;
    case SuccessRule::ignore: return !only_ignored || tally.exited == tally.ranks;
  }
  return false;
}

// Nodes may share a machine (backend local): its name would tell nobody anything.
bool several_hosts(const State& state) {
  const std::vector<std::string>& hosts = state.rules.nodes;
  const std::vector<Rules::RankRule>& ranks = state.rules.ranks;
  return std::any_of(ranks.begin(), ranks.end(),
                     [&](const auto& rank) { return hosts[rank.node] != hosts[ranks.front().node]; });
}

// Of two that have failed by one report: who lost a peer did so because of another. Else who ended first.
bool fails_before(const State& state, const std::vector<TimePoint>& ended, uint32_t one, uint32_t other) {
  const bool by_peer = !peer_error(state.ranks[one].exit).empty();
  const bool other_by_peer = !peer_error(state.ranks[other].exit).empty();
  return by_peer == other_by_peer ? ended[one] < ended[other] : other_by_peer;
}

bool counts_as_failure(SuccessRule rule, const Tally& tally) {
  if (rule == SuccessRule::ignore) return false;
  if (rule == SuccessRule::any) return tally.exited == tally.ranks && tally.succeeded == 0;
  return true;
}

}  // namespace

bool groups_succeeded(const State& state) {
  const std::vector<Tally> groups = tallies(state);
  bool only_ignored = true;
  for (const SuccessRule rule : state.rules.groups) only_ignored &= rule == SuccessRule::ignore;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (!holds(state.rules.groups[g], groups[g], only_ignored)) return false;
  }
  return true;
}

std::optional<Cause> first_failure(const State& state, const std::vector<TimePoint>& ended) {
  const std::vector<Tally> groups = tallies(state);
  std::optional<uint32_t> first;
  for (uint32_t i = 0; i < state.ranks.size(); ++i) {
    const uint32_t group = state.rules.ranks[i].group;
    const bool failed = state.ranks[i].phase == RankState::Phase::exited && !state.ranks[i].exit.success();
    if (!failed || !counts_as_failure(state.rules.groups[group], groups[group])) continue;
    if (!first || fails_before(state, ended, i, *first)) first = i;
  }
  if (!first) return std::nullopt;
  const ExitStatus& exit = state.ranks[*first].exit;
  return Cause{name_with_place(state, *first) + " " + describe_exit(exit), *first, exit};
}

std::string name_with_place(const State& state, uint32_t index) {
  const Rules::RankRule& rank = state.rules.ranks[index];
  return several_hosts(state) ? rank.name + " on " + state.rules.nodes[rank.node] : rank.name;
}

}  // namespace muster::job
