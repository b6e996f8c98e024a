// SPDX-License-Identifier: Apache-2.0
#include "core/machine/rendezvous/store.h"

#include <charconv>
#include <optional>

#include "core/machine/rendezvous/limits.h"
#include "core/machine/rendezvous/sentences.h"
#include "core/machine/rendezvous/waiting.h"

namespace muster::rendezvous {
namespace {

using Kind = RendezvousCall::Kind;

void answer_value(Turn& turn, Asker asker, std::string value) {
  answer(turn, std::vector<Asker>{asker}, RendezvousAnswer{Status(), std::move(value), {}});
}

Status not_found(const State& state, const std::string& key) {
  if (state.forgetful) return Status(Code::data_loss, forgotten(call_name(Kind::get, key)));
  return Status(Code::not_found, call_name(Kind::get, key) + " is not set");
}

// The position of a key, or where it would be inserted, so that it is searched once. Invalid after the next change.
struct Place {
  std::map<std::string, std::string>::iterator at;  // the first key that is not less
  bool found = false;
};

Place place_of(Space& space, const std::string& key) {
  const auto at = space.values.lower_bound(key);
  return {at, at != space.values.end() && at->first == key};
}

// Stores `value` and answers the asker with `reply`, or with an error.
void put(Turn& turn, const Asked& asked, Place place, std::string value, std::string reply) {
  State& state = turn.state;
  Space& space = state.worlds[asked.world];
  const std::string& key = asked.call.key;
  const size_t old_bytes = place.found ? key.size() + place.at->second.size() : 0;
  const Status refused = store_refusal(state, key, value.size(), !place.found, old_bytes);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  state.bytes += key.size() + value.size() - old_bytes;
  answer_value(turn, asked.asker, std::move(reply));
  answer_watchers(turn, space, key, value);
  if (place.found) {
    place.at->second = std::move(value);
  } else {
    space.values.emplace_hint(place.at, key, std::move(value));
  }
}

void get(Turn& turn, const Space& space, const Asked& asked) {
  const auto found = space.values.find(asked.call.key);
  if (found == space.values.end()) return answer(turn, asked.asker, not_found(turn.state, asked.call.key));
  answer_value(turn, asked.asker, found->second);
}

std::optional<int64_t> parse_number(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Status not_a_number(const std::string& key) {
  return Status(Code::invalid_argument, "the value of " + call_name(Kind::add, key) + " is not a number");
}

Status overflow(const std::string& key) {
  return Status(Code::out_of_range, "the sum for " + call_name(Kind::add, key) + " does not fit into 64 bits");
}

void add(Turn& turn, Space& space, const Asked& asked) {
  const Place place = place_of(space, asked.call.key);
  if (!place.found && turn.state.forgetful) return answer(turn, asked.asker, not_found(turn.state, asked.call.key));
  const std::optional<int64_t> before = place.found ? parse_number(place.at->second) : 0;
  if (!before) return answer(turn, asked.asker, not_a_number(asked.call.key));
  int64_t sum = 0;
  if (__builtin_add_overflow(*before, asked.call.amount, &sum))
    return answer(turn, asked.asker, overflow(asked.call.key));
  const std::string text = std::to_string(sum);
  put(turn, asked, place, text, text);
}

void compare_and_set(Turn& turn, Space& space, const Asked& asked) {
  const Place place = place_of(space, asked.call.key);
  if (!place.found && turn.state.forgetful) return answer(turn, asked.asker, not_found(turn.state, asked.call.key));
  const std::string before = place.found ? place.at->second : "";
  if (before != asked.call.expected) return answer_value(turn, asked.asker, before);
  put(turn, asked, place, asked.call.value, asked.call.value);
}

void remove(Turn& turn, Space& space, const Asked& asked) {
  const auto found = space.values.find(asked.call.key);
  if (found == space.values.end()) return answer(turn, asked.asker, not_found(turn.state, asked.call.key));
  turn.state.bytes -= found->first.size() + found->second.size();
  space.values.erase(found);
  answer(turn, asked.asker, Status());
}

void list(Turn& turn, const Space& space, const Asked& asked) {
  const std::string& prefix = asked.call.key;
  if (turn.state.forgetful) {
    const std::string what = "the list of keys that begin with " + shown(prefix);
    return answer(turn, asked.asker, Status(Code::data_loss, forgotten(what)));
  }
  RendezvousAnswer names;
  size_t bytes = 0;
  for (auto next = space.values.lower_bound(prefix); next != space.values.end(); ++next) {
    if (!next->first.starts_with(prefix)) break;
    bytes += next->first.size();
    if (bytes > turn.state.limits.answer_bytes) {
      const std::string what = "the names that begin with " + shown(prefix) + " together";
      return answer(turn, asked.asker,
                    Status(Code::resource_exhausted, too_large(what, turn.state.limits.answer_bytes)));
    }
    names.values.push_back(next->first);
  }
  answer(turn, {asked.asker}, std::move(names));
}

}  // namespace

void store_call(Turn& turn, const Asked& asked) {
  Space& space = turn.state.worlds[asked.world];
  switch (asked.call.kind) {
    case Kind::set: return put(turn, asked, place_of(space, asked.call.key), asked.call.value, "");
    case Kind::get: return get(turn, space, asked);
    case Kind::add: return add(turn, space, asked);
    case Kind::compare_and_set: return compare_and_set(turn, space, asked);
    case Kind::remove: return remove(turn, space, asked);
    case Kind::list: return list(turn, space, asked);
    case Kind::wait:
    case Kind::barrier:
    case Kind::fence: return;  // these may wait: step.cc
  }
}

}  // namespace muster::rendezvous
