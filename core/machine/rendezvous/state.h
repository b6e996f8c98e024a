// SPDX-License-Identifier: Apache-2.0
// The state of the rendezvous machine and its limits. Values; changed by step() only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/rank/rendezvous_call.h"

namespace muster::rendezvous {

// A call beyond a limit fails with resource_exhausted or invalid_argument, and the message names the limit. A longer wait is
// shortened to longest_wait.
struct Limits {
  size_t key_bytes = 1024;
  size_t value_bytes = 1 << 20;
  size_t total_bytes = 256 << 20;  // keys and values of an attempt, those of its waiters included
  size_t answer_bytes = 4 << 20;   // names of a list, values of a fence
  size_t keys = 1'000'000;
  size_t waiters = 1'000'000;
  size_t waiters_per_rank = 1024;
  Duration longest_wait = std::chrono::hours(24);
  size_t names_in_message = 8;
  bool operator==(const Limits&) const = default;
};

// Identifies a request: the channel of the node, and the request's number on it. Numbers increase on a channel; a number
// at or below the highest seen is a repeat.
struct Asker {
  uint64_t channel = 0;
  uint64_t id = 0;
  auto operator<=>(const Asker&) const = default;
};

// A call that is not answered yet.
struct Waiter {
  uint32_t world = 0;
  Rank rank = 0;
  RendezvousCall::Kind kind = RendezvousCall::Kind::wait;  // or barrier, fence
  std::string key;
  std::vector<Rank> ranks;  // of a wait: those that it waits for, if it is known
  std::string what;         // of a wait with `ranks`: what they do
  size_t bytes = 0;         // counted in State::bytes
  TimePoint since;
  TimePoint deadline;
  bool operator==(const Waiter&) const = default;
};

struct Arrival {
  Asker asker;
  std::string value;  // of a fence
  bool operator==(const Arrival&) const = default;
};

// A barrier or fence under way.
struct PendingBarrier {
  bool fence = false;
  std::vector<Rank> ranks;  // sorted; empty: the whole world
  std::map<Rank, Arrival> arrived;
  size_t value_bytes = 0;
  TimePoint since;  // arrival of the first rank
  bool operator==(const PendingBarrier&) const = default;
};

// A world is a set of ranks that share keys and barriers; its ranks are 0..n-1.
struct Space {
  std::vector<std::string> members;  // "rank 3 on node-b", by rank
  std::vector<size_t> waiting;       // calls under way, by rank
  std::map<std::string, std::string> values;
  std::map<std::string, std::set<Asker>> watchers;  // waiters of each key
  std::map<std::string, PendingBarrier> barriers;
  bool operator==(const Space&) const = default;
};

struct State {
  Limits limits;
  Attempt attempt = 0;
  bool open = false;
  bool forgetful = false;  // an earlier controller may have had keys that are lost
  Attempt ended = 0;       // the last attempt that ended, and why
  std::string ended_why;
  std::vector<Space> worlds;
  size_t bytes = 0;
  std::map<Asker, Waiter> waiters;
  std::set<std::pair<TimePoint, Asker>> deadlines;  // of the waiters
  std::optional<TimePoint> armed;                   // at or before the first deadline
  std::map<uint64_t, uint64_t> highest_id;          // seen, by channel
  bool operator==(const State&) const = default;
};

}  // namespace muster::rendezvous
