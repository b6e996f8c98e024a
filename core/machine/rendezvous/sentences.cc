// SPDX-License-Identifier: Apache-2.0
#include "core/machine/rendezvous/sentences.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

constexpr size_t kShownKeyBytes = 120;

std::string kind_name(Kind kind) {
  if (kind == Kind::barrier) return "barrier";
  return kind == Kind::fence ? "fence" : "key";
}

// The expected ranks that have not arrived: the names of the first `limit`, and their number.
struct Missing {
  std::vector<std::string> names;
  size_t count = 0;
};

Missing missing_of(const Space& space, const PendingBarrier& barrier, size_t limit) {
  const size_t expected = barrier.ranks.empty() ? space.members.size() : barrier.ranks.size();
  Missing missing;
  missing.count = expected - barrier.arrived.size();
  for (size_t i = 0; i < expected && missing.names.size() < std::min(limit, missing.count); ++i) {
    const Rank rank = barrier.ranks.empty() ? static_cast<Rank>(i) : barrier.ranks[i];
    if (barrier.arrived.count(rank) == 0) missing.names.push_back(space.members[rank]);
  }
  return missing;
}

// "a", "a and b", "a, b and 5 more"
std::string enumeration(const Missing& missing) {
  std::vector<std::string> parts = missing.names;
  const size_t more = missing.count - parts.size();
  if (more > 0) parts.push_back(std::to_string(more) + (parts.empty() ? " members" : " more"));
  const std::string last = parts.back();
  parts.pop_back();
  return parts.empty() ? last : join(parts, ", ") + " and " + last;
}

// The timeout. Users mostly choose whole seconds: "30 s", not "30.0 s".
std::string patience(const Waiter& waiter) {
  const Duration time = waiter.deadline - waiter.since;
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(time);
  const bool short_and_whole = whole == time && whole < std::chrono::minutes(2);
  return short_and_whole ? std::to_string(whole.count()) + " s" : humane_duration(time);
}

}  // namespace

std::string shown(const std::string& key) {
  const bool cut = key.size() > kShownKeyBytes;
  return "`" + escaped(std::string_view(key).substr(0, kShownKeyBytes)) + (cut ? "…`" : "`");
}

std::string call_name(Kind kind, const std::string& key) { return kind_name(kind) + " " + shown(key); }

std::string wait_timed_out(const Waiter& waiter) {
  return call_name(waiter.kind, waiter.key) + " was not set within " + patience(waiter) + " (waiting since " +
         format_utc(waiter.since) + ")";
}

std::string barrier_timed_out(const Waiter& waiter, const Space& space, const PendingBarrier& barrier,
                              const Limits& limits) {
  const Missing missing = missing_of(space, barrier, limits.names_in_message);
  const size_t expected = missing.count + barrier.arrived.size();
  return call_name(waiter.kind, waiter.key) + " timed out after " + patience(waiter) + ": " + enumeration(missing) +
         (missing.count == 1 ? " is" : " are") + " missing (" + std::to_string(missing.count) + " of " +
         std::to_string(expected) + ")";
}

std::string barrier_waits(const Space& space, const std::string& key, const PendingBarrier& barrier,
                          const Limits& limits) {
  const Missing missing = missing_of(space, barrier, limits.names_in_message);
  const size_t expected = missing.count + barrier.arrived.size();
  return call_name(barrier.fence ? Kind::fence : Kind::barrier, key) + " waits for " + enumeration(missing) + " (" +
         std::to_string(missing.count) + " of " + std::to_string(expected) + ")";
}

std::string ranks_wait(const Space& space, const std::string& what, const std::set<Rank>& missing,
                       const Limits& limits) {
  Missing named{{}, missing.size()};
  for (const Rank rank : missing) {
    if (named.names.size() < limits.names_in_message) named.names.push_back(space.members[rank]);
  }
  return what + " waits for " + enumeration(named) + " (" + std::to_string(missing.size()) + " of " +
         std::to_string(space.members.size()) + ")";
}

std::string attempt_refusal(const State& state, Attempt attempt) {
  const std::string name = "attempt " + std::to_string(attempt);
  if (attempt > state.attempt || attempt == 0) return name + " has not started";
  if (attempt == state.ended && !state.ended_why.empty()) return name + " has ended: " + state.ended_why;
  return name + " has ended; the current one is attempt " + std::to_string(state.attempt);
}

std::string forgotten(const std::string& what) {
  return what + " was lost: keys set in this attempt before the controller was replaced are gone";
}

std::string too_large(const std::string& what, size_t limit) {
  return what + " may have at most " + count_of(limit, "byte");
}

}  // namespace muster::rendezvous
