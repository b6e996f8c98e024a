// SPDX-License-Identifier: Apache-2.0
#include "core/machine/rendezvous/limits.h"
#include "core/machine/rendezvous/pending_barriers.h"
#include "core/machine/rendezvous/sentences.h"
#include "core/machine/rendezvous/store.h"
#include "core/machine/rendezvous/waiting.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

// Records the asker. True if it was seen before.
bool is_repeat(State& state, Asker asker) {
  const auto [seen, is_new] = state.highest_id.try_emplace(asker.channel, asker.id);
  if (is_new) return false;
  if (asker.id <= seen->second) return true;
  seen->second = asker.id;
  return false;
}

void wait(Turn& turn, const Asked& asked) {
  const Space& space = turn.state.worlds[asked.world];
  const auto found = space.values.find(asked.call.key);
  if (found != space.values.end()) {
    return answer(turn, {asked.asker}, RendezvousAnswer{Status(), found->second, {}});
  }
  const Status refused = waiting_refusal(turn.state, asked);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  park(turn, asked);
}

void barrier_or_fence(Turn& turn, const Asked& asked) {
  const Status refused = waiting_refusal(turn.state, asked);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  join_barrier(turn, asked);
}

Space space_of(const std::vector<std::string>& members) {
  Space space;
  space.members = members;
  space.waiting.resize(members.size());
  return space;
}

// Answers all waiters and removes everything of the attempt.
void end_attempt(Turn& turn, const std::string& why) {
  State& state = turn.state;
  state.open = false;
  state.ended = state.attempt;
  state.ended_why = why;
  answer_all(turn, Status(Code::failed_precondition, attempt_refusal(state, state.attempt)));
  state.waiters.clear();
  state.deadlines.clear();
  state.worlds.clear();
  state.bytes = 0;
}

void on(Turn& turn, const Asked& asked) {
  if (is_repeat(turn.state, asked.asker)) return;
  const Status refused = call_refusal(turn.state, asked);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  switch (asked.call.kind) {
    case Kind::wait: return wait(turn, asked);
    case Kind::barrier:
    case Kind::fence: return barrier_or_fence(turn, asked);
    default: return store_call(turn, asked);
  }
}

void on(Turn& turn, const Begun& begun) {
  State& state = turn.state;
  if (begun.attempt <= state.attempt) return;
  if (state.open) end_attempt(turn, begun.why);
  state.attempt = begun.attempt;
  state.open = true;
  state.forgetful = begun.taken_over;
  for (const std::vector<std::string>& members : begun.worlds) state.worlds.push_back(space_of(members));
}

void on(Turn& turn, const Ended& ended) {
  if (turn.state.open && ended.attempt == turn.state.attempt) end_attempt(turn, ended.why);
}

void on(Turn& turn, const ChannelLost& lost) { forget_channel(turn.state, lost.channel); }

void on(Turn& turn, const TimerFired&) {
  turn.state.armed.reset();
  expire(turn);
}

}  // namespace

Step step(State state, TimePoint now, const Event& event) {
  Turn turn{state, now, {}};
  std::visit([&](const auto& happened) { on(turn, happened); }, event);
  arm(turn);
  return Step{std::move(state), std::move(turn.actions)};
}

}  // namespace muster::rendezvous
