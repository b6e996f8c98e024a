// SPDX-License-Identifier: Apache-2.0
#include "core/machine/rendezvous/waiting.h"

#include <algorithm>

#include "core/machine/rendezvous/pending_barriers.h"
#include "core/machine/rendezvous/sentences.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

void forget_watcher(Space& space, const std::string& key, Asker asker) {
  const auto found = space.watchers.find(key);
  found->second.erase(asker);
  if (found->second.empty()) space.watchers.erase(found);
}

void forget(State& state, Asker asker) {
  const Waiter waiter = unpark(state, asker);
  if (waiter.kind != Kind::wait) leave_barrier(state.worlds[waiter.world], waiter);
}

void give_up(Turn& turn, Asker asker) {
  const Waiter& waiter = turn.state.waiters.at(asker);
  if (waiter.kind != Kind::wait) return fail_barrier(turn, Waiter(waiter));
  const Waiter left = unpark(turn.state, asker);
  answer(turn, asker, Status(Code::deadline_exceeded, wait_timed_out(left)));
}

}  // namespace

void park(Turn& turn, const Asked& asked) {
  State& state = turn.state;
  Space& space = state.worlds[asked.world];
  const RendezvousCall& call = asked.call;
  const Duration longest = state.limits.longest_wait;
  const Duration patience = call.timeout == Duration{0} ? longest : std::min(call.timeout, longest);
  const size_t bytes = call.key.size() + (call.kind == Kind::fence ? call.value.size() : 0);
  Waiter waiter{asked.world, asked.rank, call.kind, call.key, {}, "", bytes, turn.now, turn.now + patience};
  if (call.kind == Kind::wait) {
    waiter.ranks = call.ranks;
    waiter.what = call.expected;
  }
  state.waiters.emplace(asked.asker, waiter);
  state.deadlines.emplace(waiter.deadline, asked.asker);
  state.bytes += bytes;
  ++space.waiting[asked.rank];
  if (call.kind == Kind::wait) space.watchers[call.key].insert(asked.asker);
}

Waiter unpark(State& state, Asker asker) {
  const auto found = state.waiters.find(asker);
  MUSTER_CHECK(found != state.waiters.end());
  Waiter waiter = std::move(found->second);
  state.waiters.erase(found);
  state.deadlines.erase({waiter.deadline, asker});
  state.bytes -= waiter.bytes;
  Space& space = state.worlds[waiter.world];
  --space.waiting[waiter.rank];
  if (waiter.kind == Kind::wait) forget_watcher(space, waiter.key, asker);
  return waiter;
}

void answer_all(Turn& turn, const Status& status) {
  std::vector<Asker> askers;
  for (const auto& [asker, waiter] : turn.state.waiters) askers.push_back(asker);
  answer(turn, std::move(askers), RendezvousAnswer{status, {}, {}});
}

void answer_watchers(Turn& turn, Space& space, const std::string& key, const std::string& value) {
  const auto found = space.watchers.find(key);
  if (found == space.watchers.end()) return;
  std::vector<Asker> askers(found->second.begin(), found->second.end());
  for (const Asker& asker : askers) unpark(turn.state, asker);
  answer(turn, std::move(askers), RendezvousAnswer{Status(), value, {}});
}

void forget_channel(State& state, uint64_t channel) {
  auto next = state.waiters.lower_bound(Asker{channel, 0});
  while (next != state.waiters.end() && next->first.channel == channel) {
    const Asker asker = next->first;
    ++next;
    forget(state, asker);
  }
  state.highest_id.erase(channel);
}

void expire(Turn& turn) {
  std::set<std::pair<TimePoint, Asker>>& deadlines = turn.state.deadlines;
  while (!deadlines.empty() && deadlines.begin()->first <= turn.now) give_up(turn, deadlines.begin()->second);
}

void arm(Turn& turn) {
  State& state = turn.state;
  if (state.deadlines.empty()) return;
  const TimePoint first = state.deadlines.begin()->first;
  if (state.armed && *state.armed <= first) return;
  state.armed = first;
  turn.actions.emplace_back(ArmTimer{first});
}

}  // namespace muster::rendezvous
