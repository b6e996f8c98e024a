// SPDX-License-Identifier: Apache-2.0
#include "core/journal/attempt_log.h"

#include <algorithm>
#include <utility>

#include "core/journal/bounded_list.h"
#include "core/journal/consequence.h"

namespace muster {
namespace {

constexpr size_t kMostAttempts = 1000;

bool just_exited(const job::State& before, const job::State& after, size_t rank) {
  return after.ranks[rank].phase == RankPhase::exited && before.ranks[rank].phase != RankPhase::exited;
}

void note_failure(AttemptView& attempt, const job::State& before, const job::State& after) {
  const bool failed = after.failed_at != before.failed_at;
  if (!failed || !after.cause) return;
  // The rank that was the first failure so far had only noticed the real one.
  const auto noticed = attempt.culprit ? std::optional(*attempt.culprit - after.rules.first_rank) : std::nullopt;
  if (noticed && noticed != after.cause->rank) {
    attempt.consequences.insert(attempt.consequences.begin(), consequence_of(after.rules.ranks[*noticed].name,
                                                                             attempt.culprit_exit, after.cause->exit));
  }
  attempt.cause = after.cause->sentence;
  attempt.culprit = after.cause->rank;
  if (attempt.culprit) *attempt.culprit += after.rules.first_rank;
  attempt.culprit_exit = after.cause->exit;
  attempt.stack = after.cause->stack;
}

// Only for a real setup: a job that only waits for GPUs has none.
void note_setup(AttemptView& attempt, TimePoint now, const job::State& before, const job::State& after) {
  if (!after.rules.sets_up) return;
  if (after.preparing && attempt.preparing == TimePoint()) attempt.preparing = *after.preparing;
  if (after.preparing) attempt.prepared = TimePoint();
  if (before.preparing && !after.preparing) attempt.prepared = now;
}

}  // namespace

bool has_ended(const job::State& gang) { return gang.phase == job::Phase::backoff || gang.phase == job::Phase::done; }

const AttemptView* AttemptLog::newest(const std::string& group) const {
  const auto found =
      std::find_if(views_.rbegin(), views_.rend(), [&](const AttemptView& attempt) { return attempt.group == group; });
  return found == views_.rend() ? nullptr : &*found;
}

AttemptView* AttemptLog::newest(const std::string& group) {
  return const_cast<AttemptView*>(std::as_const(*this).newest(group));
}

bool AttemptLog::take(TimePoint now, uint32_t gang, const job::Event& event, const job::State& before,
                      const job::State& after) {
  const bool next_began = after.attempt != before.attempt;
  AttemptView* attempt = newest(after.rules.gang);
  if (attempt != nullptr && attempt->ended == TimePoint()) {
    note_failure(*attempt, before, after);
    if (!next_began && after.all_running && attempt->running == TimePoint()) attempt->running = now;
    if (!next_began) note_setup(*attempt, now, before, after);
    const bool ended = next_began || has_ended(after);
    if (attempt->stopping == TimePoint() && (ended || after.phase == job::Phase::stopping)) attempt->stopping = now;
    if (ended) attempt->ended = now;
  }
  if (next_began) note_last_exits(event, before);
  if (next_began) begin(now, gang, after);
  note_consequences(before, after);
  return next_began;
}

void AttemptLog::begin(TimePoint now, uint32_t gang, const job::State& state) {
  AttemptView next;
  next.attempt = state.attempt;
  next.group = state.rules.gang;
  next.placed = now;
  views_.push_back(std::move(next));
  begun_.push_back({state.attempt, gang});
  forget_middle(views_, kMostAttempts, [](const AttemptView& attempt) { return attempt.ended != TimePoint(); });
}

// Exits of ranks of the gang after the first failure are consequences of it, not other causes.
void AttemptLog::note_consequences(const job::State& before, const job::State& after) {
  AttemptView* attempt = newest(after.rules.gang);
  if (attempt == nullptr || before.attempt != after.attempt || before.phase != job::Phase::stopping) return;
  after.ranks.for_each_unshared(before.ranks, [&](size_t i) {
    if (!just_exited(before, after, i) || attempt->culprit == i + after.rules.first_rank) return;
    attempt->consequences.push_back(
        consequence_of(after.rules.ranks[i].name, after.ranks[i].exit, attempt->culprit_exit));
  });
}

// The report of the last exits of an attempt may begin the next one. The state then no longer has these exits.
void AttemptLog::note_last_exits(const job::Event& event, const job::State& before) {
  const auto* report = std::get_if<job::Reported>(&event);
  AttemptView* attempt = newest(before.rules.gang);
  if (report == nullptr || attempt == nullptr || before.phase != job::Phase::stopping) return;
  if (report->attempt != before.attempt) return;
  for (const job::RankFact& fact : report->ranks) {
    const uint32_t rank = fact.index - before.rules.first_rank;
    const bool own =
        rank < before.ranks.size() && before.rules.ranks[rank].node + before.rules.first_node == report->node;
    if (!own || fact.phase != RankPhase::exited || before.ranks[rank].phase == RankPhase::exited) continue;
    if (attempt->culprit != fact.index)
      attempt->consequences.push_back(consequence_of(before.rules.ranks[rank].name, fact.exit, attempt->culprit_exit));
  }
}

void AttemptLog::has_code(const std::string& group, TimePoint since, TimePoint now) {
  AttemptView* newest_of = newest(group);
  if (newest_of == nullptr || newest_of->running != TimePoint() || newest_of->ended != TimePoint()) return;
  const bool first = newest_of->preparing == TimePoint() || since < newest_of->preparing;
  if (first) newest_of->preparing = std::max(since, newest_of->placed);
  newest_of->prepared = now;
}

void AttemptLog::works(const std::string& group, const Working& working, TimePoint now) {
  AttemptView* newest_of = newest(group);
  if (newest_of == nullptr || newest_of->attempt != working.attempt) return;
  const TimePoint begun = newest_of->running == TimePoint() ? newest_of->placed : newest_of->running;
  newest_of->working = std::max(begun, std::min(working.since, now));
  if (working.importing != TimePoint()) newest_of->importing = std::clamp(working.importing, newest_of->placed, begun);
}

bool AttemptLog::works(const std::string& group, Attempt attempt) const {
  const AttemptView* newest_of = newest(group);
  return newest_of != nullptr && newest_of->attempt == attempt && newest_of->working != TimePoint();
}

}  // namespace muster
