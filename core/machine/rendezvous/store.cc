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

// Stores `value` and answers `reply` to the asker, or says why not.
void put(Turn& turn, const Asked& asked, std::string value, std::string reply) {
  State& state = turn.state;
  Space& space = state.worlds[asked.world];
  const std::string& key = asked.call.key;
  const auto found = space.values.find(key);
  const bool is_new = found == space.values.end();
  const size_t old_bytes = is_new ? 0 : key.size() + found->second.size();
  const Status refused = store_refusal(state, key, value.size(), is_new, old_bytes);
  if (!refused.ok()) return answer(turn, asked.asker, refused);
  state.bytes += key.size() + value.size() - old_bytes;
  answer_value(turn, asked.asker, std::move(reply));
  answer_watchers(turn, space, key, value);
  space.values.insert_or_assign(key, std::move(value));
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

void add(Turn& turn, const Space& space, const Asked& asked) {
  const std::string name = call_name(Kind::add, asked.call.key);
  const auto found = space.values.find(asked.call.key);
  if (found == space.values.end() && turn.state.forgetful)
    return answer(turn, asked.asker, not_found(turn.state, asked.call.key));
  const std::optional<int64_t> before = found == space.values.end() ? 0 : parse_number(found->second);
  if (!before) {
    return answer(turn, asked.asker, Status(Code::invalid_argument, "the value of " + name + " is no number"));
  }
  int64_t sum = 0;
  if (__builtin_add_overflow(*before, asked.call.amount, &sum)) {
    return answer(turn, asked.asker, Status(Code::out_of_range, "the sum of " + name + " would leave 64 bits"));
  }
  put(turn, asked, std::to_string(sum), std::to_string(sum));
}

void compare_and_set(Turn& turn, const Space& space, const Asked& asked) {
  const auto found = space.values.find(asked.call.key);
  if (found == space.values.end() && turn.state.forgetful)
    return answer(turn, asked.asker, not_found(turn.state, asked.call.key));
  const std::string before = found == space.values.end() ? "" : found->second;
  if (before != asked.call.expected) return answer_value(turn, asked.asker, before);
  put(turn, asked, asked.call.value, asked.call.value);
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
    case Kind::set: return put(turn, asked, asked.call.value, "");
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
