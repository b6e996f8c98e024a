#include "core/machine/rendezvous/gatherings.h"

#include <algorithm>

#include "core/machine/rendezvous/limits.h"
#include "core/machine/rendezvous/sentences.h"
#include "core/machine/rendezvous/waiting.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

Kind kind_of(const Gathering& gathering) { return gathering.fence ? Kind::fence : Kind::barrier; }

size_t expected_count(const Space& space, const Gathering& gathering) {
  return gathering.ranks.empty() ? space.members.size() : gathering.ranks.size();
}

// Sorted, and empty when it is the whole world, so that lists compare however they were written.
std::vector<Rank> normalized(std::vector<Rank> ranks, size_t world_size) {
  if (ranks.size() == world_size) return {};
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

bool is_same(const Gathering& one, const Gathering& other) {
  return one.fence == other.fence && one.ranks == other.ranks;
}

Status mismatch(const Space& space, const Asked& asked, const Gathering& gathering) {
  const auto& [first, arrival] = *gathering.arrived.begin();
  const std::string what = call_name(kind_of(gathering), asked.call.key);
  if (gathering.fence != (asked.call.kind == Kind::fence)) {
    return Status(Code::invalid_argument, space.members[asked.rank] + " asked for " +
                                              call_name(asked.call.kind, asked.call.key) + ", but " +
                                              space.members[first] + " waits in " + what);
  }
  return Status(Code::invalid_argument, space.members[asked.rank] + " asked for " + what +
                                            " with another list of ranks than " + space.members[first] +
                                            ", who waits there");
}

void take_place_of_earlier(Turn& turn, const Space& space, Gathering& gathering, const Asked& asked) {
  const auto earlier = gathering.arrived.find(asked.rank);
  if (earlier == gathering.arrived.end()) return;
  const Arrival arrival = std::move(earlier->second);
  gathering.arrived.erase(earlier);
  gathering.value_bytes -= arrival.value.size();
  unpark(turn.state, arrival.asker);
  answer(turn, arrival.asker,
         Status(Code::aborted, space.members[asked.rank] + " asked for " + call_name(asked.call.kind, asked.call.key) +
                                   " again, and the later call took this one's place"));
}

void arrive(Turn& turn, Gathering& gathering, const Asked& asked) {
  const bool fence = asked.call.kind == Kind::fence;
  park(turn, asked);
  Arrival& arrival = gathering.arrived[asked.rank];
  arrival.asker = asked.asker;
  if (fence) arrival.value = asked.call.value;
  gathering.value_bytes += arrival.value.size();
}

// Ends a gathering: all who arrived, in rank order, get `text`.
void dissolve(Turn& turn, Space& space, const std::string& key, RendezvousAnswer text) {
  const auto found = space.gatherings.find(key);
  std::vector<Asker> askers;
  for (const auto& [rank, arrival] : found->second.arrived) askers.push_back(arrival.asker);
  for (const Asker& asker : askers) unpark(turn.state, asker);
  space.gatherings.erase(found);
  answer(turn, std::move(askers), std::move(text));
}

void release(Turn& turn, Space& space, const std::string& key, Gathering& gathering) {
  RendezvousAnswer text;
  if (gathering.fence) {
    for (auto& [rank, arrival] : gathering.arrived) text.values.push_back(std::move(arrival.value));
  }
  dissolve(turn, space, key, std::move(text));
}

}  // namespace

void join_gathering(Turn& turn, const Asked& asked) {
  Space& space = turn.state.worlds[asked.world];
  const std::string& key = asked.call.key;
  Gathering fresh{asked.call.kind == Kind::fence, normalized(asked.call.ranks, space.members.size()), {}, 0, turn.now};
  const auto found = space.gatherings.find(key);
  const bool under_way = found != space.gatherings.end();
  if (under_way && !is_same(found->second, fresh)) {
    return answer(turn, asked.asker, mismatch(space, asked, found->second));
  }
  const size_t gathered_bytes = under_way ? found->second.value_bytes : 0;
  const Status refused = fence_refusal(turn.state.limits, asked.call, gathered_bytes);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  Gathering& gathering = space.gatherings.try_emplace(key, std::move(fresh)).first->second;
  take_place_of_earlier(turn, space, gathering, asked);
  arrive(turn, gathering, asked);
  if (gathering.arrived.size() == expected_count(space, gathering)) release(turn, space, key, gathering);
}

void fail_gathering(Turn& turn, const Waiter& waiter) {
  Space& space = turn.state.worlds[waiter.world];
  const Gathering& gathering = space.gatherings.at(waiter.key);
  Status status(Code::deadline_exceeded, gathering_timed_out(waiter, space, gathering, turn.state.limits));
  dissolve(turn, space, waiter.key, RendezvousAnswer{std::move(status), {}, {}});
}

void leave_gathering(Space& space, const Waiter& waiter) {
  const auto found = space.gatherings.find(waiter.key);
  const auto arrival = found->second.arrived.find(waiter.rank);
  found->second.value_bytes -= arrival->second.value.size();
  found->second.arrived.erase(arrival);
  if (found->second.arrived.empty()) space.gatherings.erase(found);
}

std::optional<OpenGathering> longest_open(const State& state) {
  const Space* place = nullptr;
  const std::pair<const std::string, Gathering>* longest = nullptr;
  for (const Space& space : state.worlds) {
    for (const auto& gathering : space.gatherings) {
      if (longest != nullptr && longest->second.since <= gathering.second.since) continue;
      place = &space;
      longest = &gathering;
    }
  }
  if (longest == nullptr) return std::nullopt;
  return OpenGathering{gathering_waits(*place, longest->first, longest->second, state.limits), longest->second.since};
}

}  // namespace muster::rendezvous
