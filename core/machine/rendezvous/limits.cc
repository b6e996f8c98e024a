// SPDX-License-Identifier: Apache-2.0
#include "core/machine/rendezvous/limits.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/rendezvous/sentences.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

Status invalid(std::string message) { return Status(Code::invalid_argument, std::move(message)); }
Status exhausted(std::string message) { return Status(Code::resource_exhausted, std::move(message)); }

Status origin_refusal(const State& state, const Asked& asked) {
  if (!state.open || asked.attempt != state.attempt) {
    return Status(Code::failed_precondition, attempt_refusal(state, asked.attempt));
  }
  if (asked.world >= state.worlds.size()) {
    return invalid("there is no world " + std::to_string(asked.world) + "; this job has " +
                   count_of(state.worlds.size(), "world"));
  }
  const size_t size = state.worlds[asked.world].members.size();
  if (asked.rank < size) return Status();
  return invalid("there is no rank " + std::to_string(asked.rank) + " in a world of " + std::to_string(size));
}

Status size_refusal(const Limits& limits, const RendezvousCall& call) {
  if (call.key.size() > limits.key_bytes) return invalid(too_large("a key", limits.key_bytes));
  const size_t value = std::max(call.value.size(), call.expected.size());
  if (value > limits.value_bytes) return invalid(too_large("a value", limits.value_bytes));
  if (call.timeout < Duration{0}) return invalid("a timeout must not be negative");
  return Status();
}

Status rank_list_refusal(const Space& space, const Asked& asked) {
  const std::string what = "the list of ranks of " + call_name(asked.call.kind, asked.call.key);
  std::vector<Rank> ranks = asked.call.ranks;
  std::sort(ranks.begin(), ranks.end());
  if (ranks.back() >= space.members.size()) {
    return invalid(what + " names rank " + std::to_string(ranks.back()) + ", but the world has ranks 0 to " +
                   std::to_string(space.members.size() - 1));
  }
  const auto twice = std::adjacent_find(ranks.begin(), ranks.end());
  if (twice != ranks.end()) return invalid(what + " names " + space.members[*twice] + " more than once");
  if (std::binary_search(ranks.begin(), ranks.end(), asked.rank)) return Status();
  return invalid(what + " does not contain " + space.members[asked.rank] + ", which called it");
}

Status total_refusal(const State& state, size_t more) {
  if (state.bytes + more <= state.limits.total_bytes) return Status();
  return exhausted("the keys and values of an attempt may use at most " + humane_size(state.limits.total_bytes) + "; " +
                   humane_size(state.bytes) + " are in use");
}

size_t key_count(const State& state) {
  size_t count = 0;
  for (const Space& space : state.worlds) count += space.values.size();
  return count;
}

}  // namespace

Status call_refusal(const State& state, const Asked& asked) {
  if (Status refused = origin_refusal(state, asked); !refused.ok()) return refused;
  if (Status refused = size_refusal(state.limits, asked.call); !refused.ok()) return refused;
  const bool has_ranks = asked.call.kind == Kind::barrier || asked.call.kind == Kind::fence;
  if (!has_ranks || asked.call.ranks.empty()) return Status();
  return rank_list_refusal(state.worlds[asked.world], asked);
}

Status waiting_refusal(const State& state, const Asked& asked) {
  const Limits& limits = state.limits;
  if (state.waiters.size() >= limits.waiters) {
    return exhausted("too many waiting calls: at most " + count_of(limits.waiters, "call") +
                     " may wait at the same time");
  }
  const Space& space = state.worlds[asked.world];
  if (space.waiting[asked.rank] >= limits.waiters_per_rank) {
    return exhausted("too many waiting calls of " + space.members[asked.rank] + ": at most " +
                     count_of(limits.waiters_per_rank, "call") + " of a rank may wait at the same time");
  }
  const size_t value = asked.call.kind == Kind::fence ? asked.call.value.size() : 0;
  return total_refusal(state, asked.call.key.size() + value);
}

Status fence_refusal(const Limits& limits, const RendezvousCall& call, size_t bytes_so_far) {
  if (call.kind != Kind::fence || bytes_so_far + call.value.size() <= limits.answer_bytes) return Status();
  return exhausted(too_large("the values of " + call_name(call.kind, call.key) + " together", limits.answer_bytes));
}

Status store_refusal(const State& state, const std::string& key, size_t value_bytes, bool is_new, size_t old_bytes) {
  if (is_new && key_count(state) >= state.limits.keys) {
    return exhausted("too many keys: an attempt may have at most " + count_of(state.limits.keys, "key"));
  }
  const size_t bytes = key.size() + value_bytes;
  return bytes <= old_bytes ? Status() : total_refusal(state, bytes - old_bytes);
}

}  // namespace muster::rendezvous
