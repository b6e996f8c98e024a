// SPDX-License-Identifier: Apache-2.0
#include "core/node/exchange/node_exchange.h"

#include <algorithm>
#include <utility>

namespace muster {
namespace {

using Kind = RendezvousCall::Kind;

constexpr Duration kRepeatAfter = std::chrono::milliseconds(200);  // after the link to the coordinator was lost
constexpr const char* kExchangedIn = "MPI_Init or MPI_Finalize";
constexpr int kMostWaits = 32;  // of one round at the same time

RendezvousCall call_of(Kind kind, const std::string& key, const std::string& value = "") {
  return {kind, key, value, "", 0, {}, Duration(0)};
}

// A call waits at most for the longest time that the rendezvous allows.
bool may_repeat(const Status& status) {
  return status.code() == Code::unavailable || status.code() == Code::deadline_exceeded;
}

}  // namespace

NodeExchange::NodeExchange(Loop& loop, ServiceRendezvous rendezvous, std::vector<MpiNode> nodes, uint32_t own)
    : loop_(loop),
      rendezvous_(std::move(rendezvous)),
      nodes_(std::move(nodes)),
      own_(nodes_[own].ranks.front()) {}

// All ranks of the node with this first rank.
const std::vector<Rank>& NodeExchange::ranks_beside(Rank first) const {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const MpiNode& node) { return node.ranks.front() == first; });
  return found == nodes_.end() ? nodes_.front().ranks : found->ranks;
}

std::string NodeExchange::key_of(const std::string& name, uint64_t number, Rank rank) const {
  return name + "/" + std::to_string(number) + "/" + std::to_string(rank);
}

// All have set their values of the last round, so nobody waits for one of the round before it.
void NodeExchange::meet(Round round, Done done) {
  if (round.ranks.size() < 2) return done(Status(), {round.value});
  const auto alive = alive_;
  const std::string key = key_of(round.name, round.number, own_);
  if (round.number > 2) forget(key_of(round.name, round.number - 2, own_));
  const auto meeting = std::make_shared<Meeting>(Meeting{std::move(round), std::move(done), {}, 0});
  meeting->values[own_] = meeting->round.value;
  keep(key, meeting->round.value, [this, meeting](const Status& status) {
    if (meeting->done) finish(*meeting, status);
  });
  for (int waits = 0; *alive && waits < kMostWaits; ++waits) ask_next(meeting);
}

void NodeExchange::keep(const std::string& key, const std::string& value, Refused refused) {
  kept_[key] = {value, std::move(refused)};
  if (never_set_.empty()) {
    never_set_ = key + "/link";
    watch_link();
  }
  set(key);
}

// A call that was lost is made again by set_again().
void NodeExchange::set(const std::string& key) {
  rendezvous_(call_of(Kind::set, key, kept_[key].value), [this, alive = alive_, key](const RendezvousAnswer& answer) {
    if (!*alive || answer.status.ok() || may_repeat(answer.status)) return;
    const auto found = kept_.find(key);
    if (found == kept_.end()) return;
    const Refused refused = found->second.refused;
    refused(answer.status);
  });
}

void NodeExchange::forget(const std::string& key) {
  if (kept_.erase(key) > 0) rendezvous_(call_of(Kind::remove, key), [](const RendezvousAnswer&) {});
}

void NodeExchange::ask_next(const std::shared_ptr<Meeting>& meeting) {
  const std::vector<Rank>& ranks = meeting->round.ranks;
  if (meeting->asked < ranks.size() && ranks[meeting->asked] == own_) ++meeting->asked;
  if (!meeting->done || meeting->asked == ranks.size()) return;
  const Rank rank = ranks[meeting->asked++];
  wait_for(
      key_of(meeting->round.name, meeting->round.number, rank),
      [this, meeting, rank](const auto& status, const auto& value) { take(meeting, rank, status, value); },
      ranks_beside(rank));
}

void NodeExchange::take(const std::shared_ptr<Meeting>& meeting, Rank rank, const Status& status,
                        const std::string& value) {
  if (!meeting->done) return;
  if (!status.ok()) return finish(*meeting, status);
  meeting->values[rank] = value;
  if (meeting->values.size() == meeting->round.ranks.size()) return finish(*meeting, Status());
  ask_next(meeting);
}

void NodeExchange::wait_for(const std::string& key, Waited done, const std::vector<Rank>& setters) {
  RendezvousCall call = call_of(Kind::wait, key);
  call.ranks = setters;
  if (!setters.empty()) call.expected = kExchangedIn;
  rendezvous_(call, [this, alive = alive_, key, done, setters](const RendezvousAnswer& answer) {
    if (!*alive) return;
    if (!may_repeat(answer.status)) return done(answer.status, answer.value);
    loop_.at(loop_.now() + kRepeatAfter, [this, alive, key, done, setters] {
      if (*alive) wait_for(key, done, setters);
    });
  });
}

void NodeExchange::finish(Meeting& meeting, const Status& status) {
  const Done done = std::exchange(meeting.done, nullptr);
  std::vector<std::string> values;
  if (status.ok()) {
    for (auto& [rank, value] : meeting.values) values.push_back(std::move(value));
  }
  done(status, values);
}

void NodeExchange::watch_link() {
  rendezvous_(call_of(Kind::wait, never_set_), [this, alive = alive_](const RendezvousAnswer& answer) {
    if (!*alive || !may_repeat(answer.status)) return;
    loop_.at(loop_.now() + kRepeatAfter, [this, alive] {
      if (*alive) set_again();
    });
  });
}

void NodeExchange::set_again() {
  const auto alive = alive_;
  watch_link();
  std::vector<std::string> keys;
  for (const auto& [key, kept] : kept_) keys.push_back(key);
  for (const std::string& key : keys) {
    if (*alive && kept_.count(key) > 0) set(key);
  }
}

}  // namespace muster
