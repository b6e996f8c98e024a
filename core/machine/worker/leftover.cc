// SPDX-License-Identifier: Apache-2.0
#include "core/machine/worker/leftover.h"

#include <algorithm>

namespace muster::leftover {
namespace {

// When it is asked to end, and when it is killed, with the loss from then on.
struct Schedule {
  TimePoint ask;
  TimePoint kill;
  int signal = SIGTERM;
  Loss when_asked = Loss::none;
  Loss when_killed = Loss::grace;
};

// When a part of a stopped rank gets the signal of its rank.
TimePoint time_to_ask(const Facts& facts, const Stop& stop, TimePoint now) {
  if (!facts.reads) return now;
  return facts.read ? *facts.read + kStopTime : stop.deadline;
}

// Its own grace, from the end of its attempt.
Schedule own_grace(const LeftoverSpec& spec, TimePoint ended) {
  if (spec.grace <= Duration(0)) return {ended, ended};
  if (spec.action == LeftoverAction::stop) return {ended, ended + spec.grace};
  return {ended + spec.grace, ended + spec.grace + kStopTime, SIGTERM, Loss::grace};
}

// Nothing while the attempt runs.
std::optional<Schedule> schedule_of(const Facts& facts, const Situation& situation, TimePoint now) {
  if (is_part_of_stopped_rank(facts, situation))
    return Schedule{time_to_ask(facts, *situation.stop, now), situation.stop->deadline, situation.stop->signal,
                    Loss::none, Loss::stop};
  if (facts.earlier && (!situation.over || !facts.holds)) return own_grace(situation.spec, *facts.earlier);
  if (!situation.over) return std::nullopt;
  const bool in_the_way = situation.stop && situation.stop->again && (facts.holds || facts.in_session);
  if (in_the_way) return Schedule{*situation.over, *situation.over + kStopTime, SIGTERM, Loss::restart, Loss::restart};
  return own_grace(situation.spec, *situation.over);
}

}  // namespace

bool is_part_of_stopped_rank(const Facts& facts, const Situation& situation) {
  return situation.stop && facts.in_session && !facts.finished && !facts.earlier;
}

bool needs_resources(const Facts& facts, const Situation& situation) {
  return situation.over && situation.stop && situation.stop->again && !facts.in_session;
}

Verdict judge(const Facts& facts, const Situation& situation, TimePoint now) {
  Verdict verdict;
  const bool may_stay = situation.stop && situation.stop->again && !situation.stop->last && !facts.in_session;
  verdict.blocks = !(may_stay && !facts.holds);
  std::optional<Schedule> schedule = schedule_of(facts, situation, now);
  if (!schedule) return verdict;
  const bool last = situation.stop && situation.stop->last;
  if (last) schedule->kill = std::min(schedule->kill, situation.stop->deadline);
  if (now >= schedule->kill) return {SIGKILL, std::nullopt, verdict.blocks, last ? Loss::none : schedule->when_killed};
  if (now < schedule->ask) {
    verdict.until = std::min(schedule->ask, schedule->kill);
    return verdict;
  }
  verdict.signal = schedule->signal;
  verdict.loss = schedule->when_asked;
  verdict.until = schedule->kill;
  return verdict;
}

}  // namespace muster::leftover
