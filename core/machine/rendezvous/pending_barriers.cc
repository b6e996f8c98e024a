// SPDX-License-Identifier: Apache-2.0
#include "core/machine/rendezvous/pending_barriers.h"

#include <algorithm>

#include "core/machine/rendezvous/limits.h"
#include "core/machine/rendezvous/sentences.h"
#include "core/machine/rendezvous/waiting.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

Kind kind_of(const PendingBarrier& barrier) { return barrier.fence ? Kind::fence : Kind::barrier; }

size_t expected_count(const Space& space, const PendingBarrier& barrier) {
  return barrier.ranks.empty() ? space.members.size() : barrier.ranks.size();
}

// Sorted, and empty for the whole world, so that equal lists compare equal in whatever order they were given.
std::vector<Rank> normalized(std::vector<Rank> ranks, size_t world_size) {
  if (ranks.size() == world_size) return {};
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

bool is_same(const PendingBarrier& one, const PendingBarrier& other) {
  return one.fence == other.fence && one.ranks == other.ranks;
}

Status mismatch(const Space& space, const Asked& asked, const PendingBarrier& barrier) {
  const auto& [first, arrival] = *barrier.arrived.begin();
  const std::string what = call_name(kind_of(barrier), asked.call.key);
  if (barrier.fence != (asked.call.kind == Kind::fence)) {
    return Status(Code::invalid_argument, space.members[asked.rank] + " called " +
                                              call_name(asked.call.kind, asked.call.key) + ", but " +
                                              space.members[first] + " waits in " + what);
  }
  return Status(Code::invalid_argument, space.members[asked.rank] + " called " + what +
                                            " with a different list of ranks than " + space.members[first] +
                                            ", which waits in it");
}

void replace_earlier(Turn& turn, const Space& space, PendingBarrier& barrier, const Asked& asked) {
  const auto earlier = barrier.arrived.find(asked.rank);
  if (earlier == barrier.arrived.end()) return;
  const Arrival arrival = std::move(earlier->second);
  barrier.arrived.erase(earlier);
  barrier.value_bytes -= arrival.value.size();
  unpark(turn.state, arrival.asker);
  answer(turn, arrival.asker,
         Status(Code::aborted, space.members[asked.rank] + " called " + call_name(asked.call.kind, asked.call.key) +
                                   " again; the later call replaces this one"));
}

void arrive(Turn& turn, PendingBarrier& barrier, const Asked& asked) {
  const bool fence = asked.call.kind == Kind::fence;
  park(turn, asked);
  Arrival& arrival = barrier.arrived[asked.rank];
  arrival.asker = asked.asker;
  if (fence) arrival.value = asked.call.value;
  barrier.value_bytes += arrival.value.size();
}

// Ends a barrier: all who arrived, in rank order, get `text`.
void dissolve(Turn& turn, Space& space, const std::string& key, RendezvousAnswer text) {
  const auto found = space.barriers.find(key);
  std::vector<Asker> askers;
  for (const auto& [rank, arrival] : found->second.arrived) askers.push_back(arrival.asker);
  for (const Asker& asker : askers) unpark(turn.state, asker);
  space.barriers.erase(found);
  answer(turn, std::move(askers), std::move(text));
}

void release(Turn& turn, Space& space, const std::string& key, PendingBarrier& barrier) {
  RendezvousAnswer text;
  if (barrier.fence) {
    for (auto& [rank, arrival] : barrier.arrived) text.values.push_back(std::move(arrival.value));
  }
  dissolve(turn, space, key, std::move(text));
}

}  // namespace

void join_barrier(Turn& turn, const Asked& asked) {
  Space& space = turn.state.worlds[asked.world];
  const std::string& key = asked.call.key;
  PendingBarrier fresh{
      asked.call.kind == Kind::fence, normalized(asked.call.ranks, space.members.size()), {}, 0, turn.now};
  const auto found = space.barriers.find(key);
  const bool under_way = found != space.barriers.end();
  if (under_way && !is_same(found->second, fresh)) {
    return answer(turn, asked.asker, mismatch(space, asked, found->second));
  }
  const size_t bytes_so_far = under_way ? found->second.value_bytes : 0;
  const Status refused = fence_refusal(turn.state.limits, asked.call, bytes_so_far);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  PendingBarrier& barrier = space.barriers.try_emplace(key, std::move(fresh)).first->second;
  replace_earlier(turn, space, barrier, asked);
  arrive(turn, barrier, asked);
  if (barrier.arrived.size() == expected_count(space, barrier)) release(turn, space, key, barrier);
}

void fail_barrier(Turn& turn, const Waiter& waiter) {
  Space& space = turn.state.worlds[waiter.world];
  const PendingBarrier& barrier = space.barriers.at(waiter.key);
  Status status(Code::deadline_exceeded, barrier_timed_out(waiter, space, barrier, turn.state.limits));
  dissolve(turn, space, waiter.key, RendezvousAnswer{std::move(status), {}, {}});
}

void leave_barrier(Space& space, const Waiter& waiter) {
  const auto found = space.barriers.find(waiter.key);
  const auto arrival = found->second.arrived.find(waiter.rank);
  found->second.value_bytes -= arrival->second.value.size();
  found->second.arrived.erase(arrival);
  if (found->second.arrived.empty()) space.barriers.erase(found);
}

namespace {

// The oldest wait for certain ranks, with the ranks of all waits for the same thing.
std::optional<OpenBarrier> longest_wait_for_ranks(const State& state) {
  const Waiter* longest = nullptr;
  for (const auto& [asker, waiter] : state.waiters) {
    if (!waiter.ranks.empty() && (longest == nullptr || waiter.since < longest->since)) longest = &waiter;
  }
  if (longest == nullptr) return std::nullopt;
  const Space& space = state.worlds[longest->world];
  std::set<Rank> missing;
  for (const auto& [asker, waiter] : state.waiters) {
    if (waiter.world != longest->world || waiter.what != longest->what) continue;
    for (const Rank rank : waiter.ranks) {
      if (rank < space.members.size()) missing.insert(rank);
    }
  }
  if (missing.empty()) return std::nullopt;
  return OpenBarrier{ranks_wait(space, longest->what, missing, state.limits), longest->since};
}

}  // namespace

std::optional<OpenBarrier> longest_open(const State& state) {
  const auto wait = longest_wait_for_ranks(state);
  const Space* place = nullptr;
  const std::pair<const std::string, PendingBarrier>* longest = nullptr;
  for (const Space& space : state.worlds) {
    for (const auto& barrier : space.barriers) {
      if (longest != nullptr && longest->second.since <= barrier.second.since) continue;
      place = &space;
      longest = &barrier;
    }
  }
  if (longest == nullptr || (wait && wait->since < longest->second.since)) return wait;
  return OpenBarrier{barrier_waits(*place, longest->first, longest->second, state.limits), longest->second.since};
}

}  // namespace muster::rendezvous
