// SPDX-License-Identifier: Apache-2.0
// Findings of the watchdog: their sentences, and what follows according to the job's `hangs`.

#include "core/base/text.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

constexpr size_t kClockBegins = 11;  // "2026-11-21T19:03:07.120Z"
constexpr size_t kClockEnds = 19;

std::string since(TimePoint time) {
  return " since " + format_utc(time).substr(kClockBegins, kClockEnds - kClockBegins) + " UTC";
}

std::string at(const std::string& words, const std::string& where) { return where.empty() ? "" : words + where; }

std::string sentence_of(const Decision& decision, const Judged& judged) {
  const std::string name = judged.rank ? name_with_place(decision.state, *judged.rank) : "";
  const std::string lasted = humane_duration(decision.now - judged.since);
  const std::string& gang = decision.state.rules.gang;
  const bool restarts = decision.state.rules.hangs.action == HangAction::restart;
  switch (judged.kind) {
    case HangKind::stopped:
      return name + " is stopped by a signal (SIGSTOP or the like)" + since(judged.since) +
             at("; it is in ", judged.where);
    case HangKind::stuck:
      return name + " is stuck in the kernel" + since(judged.since) + at(", in ", judged.where) +
             ": storage or a device does not answer";
    case HangKind::waiting: return judged.where + since(judged.since);
    case HangKind::quiet:
      return "no rank" + of_gang(decision.state) + " has shown activity" + since(judged.since) +
             at(": ", judged.where) +
             (restarts ? "; not restarted: the ranks report no steps, so this may be normal. To restart, set "
                         "hangs.even_without_steps: true"
                       : "; this may be normal (hangs.after)");
    case HangKind::hung:
      return (gang.empty() ? "the gang" : whole_of(decision.state)) +
             " hangs: no rank has made a step or shown activity for " + lasted + at(": ", judged.where) +
             " (hangs.after)";
    case HangKind::none: break;
  }
  return "";
}

// stuck is left out: SIGKILL does not end such a process, so another attempt could not begin.
bool fails_attempt(const State& state, HangKind kind) {
  return state.rules.hangs.action == HangAction::restart && (kind == HangKind::stopped || kind == HangKind::hung);
}

void say_continues(Decision& decision, const Judged& judged, const Hang& before) {
  const std::string name = judged.rank ? name_with_place(decision.state, *judged.rank) + " continues"
                                       : "the ranks" + of_gang(decision.state) + " continue";
  decision.say(name + " after " + humane_duration(decision.now - before.since));
}

Hang hang_before(const State& state, const Judged& judged) {
  if (!judged.rank) return state.gang_hang;
  const auto found = state.hangs.find(*judged.rank);
  return found == state.hangs.end() ? Hang() : found->second;
}

void keep(State& state, const std::optional<uint32_t>& rank, const Hang& hang) {
  if (!rank) {
    state.gang_hang = hang;
  } else if (hang.kind == HangKind::none) {
    state.hangs.erase(*rank);
  } else {
    state.hangs[*rank] = hang;
  }
}

}  // namespace

void forget_hangs(State& state) {
  state.hangs.clear();
  state.gang_hang = Hang();
}

void handle_judged(Decision& decision, const Judged& judged) {
  State& state = decision.state;
  if (state.phase != Phase::running || judged.attempt != state.attempt) return;
  if (judged.rank && *judged.rank >= state.ranks.size()) return;
  if (judged.rank && state.ranks[*judged.rank].phase == RankPhase::exited) return;
  const Hang before = hang_before(state, judged);
  if (before.kind == judged.kind) return;
  const std::string sentence = sentence_of(decision, judged);
  keep(state, judged.rank, {judged.kind, judged.since, sentence, judged.stack});
  if (judged.kind == HangKind::none) return say_continues(decision, judged, before);
  if (!fails_attempt(state, judged.kind)) return decision.say(sentence);
  fail_attempt(decision, Cause{sentence, judged.rank, {}, false, true, judged.stack});
}

}  // namespace muster::job
