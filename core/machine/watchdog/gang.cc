// SPDX-License-Identifier: Apache-2.0
#include "core/machine/watchdog/gang.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/watchdog/collectives.h"

namespace muster::watchdog {
namespace {

constexpr uint32_t kFewSteps = 3;
constexpr int64_t kTimesLongest = 10;
constexpr size_t kNamed = 4;
constexpr size_t kMostStack = 64 << 10;
// Longest time that a finding about the gang waits for the locations of its ranks.
constexpr Duration kExamination = std::chrono::seconds(10);

Duration least(const GangState& state, Duration RankSeen::*how_long) {
  Duration found = state.ranks.empty() ? Duration(0) : Duration::max();
  for (const auto& [index, rank] : state.ranks) found = std::min(found, rank.*how_long);
  return found;
}

// Stops at the first rank that is not, which usually comes early.
bool all(const GangState& state, Duration RankSeen::*how_long, Duration patience) {
  return std::all_of(state.ranks.begin(), state.ranks.end(),
                     [&](const auto& rank) { return rank.second.*how_long >= patience; });
}

job::HangKind kind_of(RankFinding::Kind kind) {
  return kind == RankFinding::Kind::stopped ? job::HangKind::stopped : job::HangKind::stuck;
}

job::HangKind gang_hang(const GangState& state) {
  const Duration patience = state.rules.after;
  if (patience <= Duration(0) || state.ranks.empty()) return job::HangKind::none;
  const bool told = state.steps >= kFewSteps;
  const bool stepless = state.since_step >= std::max(patience, state.longest * kTimesLongest);
  if (told && stepless && all(state, &RankSeen::still, patience)) return job::HangKind::hung;
  if (all(state, &RankSeen::silent, patience))
    return state.rules.even_without_steps ? job::HangKind::hung : job::HangKind::quiet;
  return !state.waits.empty() && state.waited >= patience ? job::HangKind::waiting : job::HangKind::none;
}

Duration lasted(const GangState& state, job::HangKind kind) {
  if (kind == job::HangKind::waiting) return state.waited;
  if (kind == job::HangKind::quiet || state.steps < kFewSteps) return least(state, &RankSeen::silent);
  return state.since_step;
}

std::string locations(const GangState& state) {
  std::vector<std::string> names;
  for (const auto& [index, rank] : state.ranks) {
    if (rank.standing && !rank.standing->place.empty()) names.push_back(rank.name + " in " + rank.standing->place);
  }
  return short_list(names, kNamed);
}

// The communication libraries of different nodes mostly report the same, so each sentence is taken once.
std::vector<std::string> network(const GangState& state) {
  std::vector<std::string> sentences;
  for (const auto& [index, rank] : state.ranks) {
    for (const std::string& sentence : rank.standing ? rank.standing->network : std::vector<std::string>()) {
      const bool known = std::find(sentences.begin(), sentences.end(), sentence) != sentences.end();
      if (!known && sentences.size() < kNamed) sentences.push_back(sentence);
    }
  }
  return sentences;
}

// Which ranks block a collective, from the recorders or else from the ranks' Python functions.
std::string blocked_sentence(const GangState& state) {
  const std::string recorded = collectives_sentence(state.ranks);
  return recorded.empty() ? torch_calls_sentence(state.ranks) : recorded;
}

// A silent gang may be a server that waits for work, but not if some of its ranks wait in a collective for the others: torch itself
// would end that wait with an error. Only with `restart` this decides something.
job::HangKind with_evidence(const GangState& state, job::HangKind kind) {
  const bool asked = kind == job::HangKind::quiet && state.rules.action == HangAction::restart;
  return asked && !blocked_sentence(state).empty() ? job::HangKind::hung : kind;
}

std::string where(const GangState& state, job::HangKind kind) {
  if (kind == job::HangKind::waiting) return state.waits;
  std::vector<std::string> parts{state.waits, blocked_sentence(state)};
  for (const std::string& sentence : network(state)) parts.push_back(sentence);
  parts.push_back(locations(state));
  std::erase(parts, "");
  return join(parts, "; ");
}

std::string stack_of(const RankSeen& rank) {
  if (!rank.standing || rank.standing->stack.empty()) return "";
  return rank.name + "\n" + rank.standing->stack;
}

std::string stacks(const GangState& state) {
  std::string text;
  for (const auto& [index, rank] : state.ranks) {
    const std::string next = stack_of(rank);
    if (text.size() + next.size() <= kMostStack) text += next;
  }
  return text;
}

bool all_examined(const GangState& state) {
  return std::all_of(state.ranks.begin(), state.ranks.end(),
                     [](const auto& rank) { return rank.second.standing && rank.second.standing->complete; });
}

}  // namespace

GangState begin(const HangSpec& rules, Attempt attempt) {
  GangState state;
  state.rules = rules;
  state.attempt = attempt;
  return state;
}

void hear(GangState& state, uint32_t index, std::optional<RankSeen> seen) {
  state.found.erase(index);
  if (!seen) {
    state.ranks.erase(index);
    return;
  }
  RankSeen& rank = state.ranks[index];
  if (seen->step != rank.step) {
    // The first step does not count: it may include compilation.
    if (state.steps > 0) state.longest = std::max(state.longest, state.since_step);
    state.steps += rank.step.has_value() ? 1 : 0;
    state.since_step = Duration(0);
  }
  rank = std::move(*seen);
  if (rank.finding) state.found.insert(index);
}

void beat(GangState& state, Duration length) {
  state.since_step += length;
  state.asked = gang_hang(state) == job::HangKind::none ? Duration(0) : state.asked + length;
}

Verdicts judge(const GangState& state, TimePoint now) {
  Verdicts verdicts;
  for (const uint32_t index : state.found) {
    const RankSeen& rank = state.ranks.at(index);
    if (rank.finding->kind == RankFinding::Kind::in_io) continue;
    verdicts.standing.push_back({state.attempt, index, kind_of(rank.finding->kind), rank.finding->since,
                                 rank.standing ? rank.standing->place : "", stack_of(rank)});
  }
  const job::HangKind gang = gang_hang(state);
  const bool hangs = gang != job::HangKind::none;
  verdicts.examine = hangs || (!verdicts.standing.empty() && state.rules.action != HangAction::report);
  if (!hangs || (!all_examined(state) && state.asked < kExamination)) return verdicts;
  const bool dump = state.rules.action != HangAction::report;
  verdicts.standing.push_back({state.attempt, std::nullopt, with_evidence(state, gang), now - lasted(state, gang),
                               where(state, gang), dump ? stacks(state) : ""});
  return verdicts;
}

}  // namespace muster::watchdog
