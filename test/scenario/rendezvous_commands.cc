// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/rendezvous_commands.h"

#include <map>

#include "core/base/text.h"

namespace muster::scenario {
namespace {

using Kind = RendezvousCall::Kind;

Kind parse_kind(const std::string& name) {
  static const std::map<std::string, Kind> kinds = {{"set", Kind::set},
                                                    {"get", Kind::get},
                                                    {"wait", Kind::wait},
                                                    {"add", Kind::add},
                                                    {"cas", Kind::compare_and_set},
                                                    {"remove", Kind::remove},
                                                    {"list", Kind::list},
                                                    {"barrier", Kind::barrier},
                                                    {"fence", Kind::fence}};
  const auto found = kinds.find(name);
  if (found == kinds.end()) throw BadCommand("there is no call `" + name + "`");
  return found->second;
}

std::vector<Rank> parse_ranks(const std::string& text) {
  std::vector<Rank> ranks;
  if (text.empty()) return ranks;
  for (const std::string& rank : split(text, ',')) ranks.push_back(static_cast<Rank>(parse_number(rank)));
  return ranks;
}

// An optional plain word, such as the key or the value after rank and kind.
std::string plain_or_empty(const Command& command, size_t n) {
  try {
    return command.plain(n);
  } catch (const BadCommand&) {
    return "";
  }
}

int64_t parse_amount(const std::string& text) {
  const bool negative = text.starts_with("-");
  const int64_t number = static_cast<int64_t>(parse_number(negative ? text.substr(1) : text));
  return negative ? -number : number;
}

RendezvousCall parse_call(const Command& command) {
  RendezvousCall call;
  call.kind = parse_kind(command.plain(1));
  call.key = plain_or_empty(command, 2);
  call.value = plain_or_empty(command, 3);
  call.expected = command.option("expected", "");
  call.amount = parse_amount(command.option("amount", "0"));
  call.ranks = parse_ranks(command.option("ranks", ""));
  call.timeout = command.duration("timeout", Duration{0});
  return call;
}

}  // namespace

rendezvous::Limits parse_limits(const Command& command) {
  rendezvous::Limits limits;
  limits.key_bytes = command.number("key_bytes", limits.key_bytes);
  limits.value_bytes = command.number("value_bytes", limits.value_bytes);
  limits.total_bytes = command.number("total_bytes", limits.total_bytes);
  limits.answer_bytes = command.number("answer_bytes", limits.answer_bytes);
  limits.keys = command.number("keys", limits.keys);
  limits.waiters = command.number("waiters", limits.waiters);
  limits.waiters_per_rank = command.number("waiters_per_rank", limits.waiters_per_rank);
  limits.longest_wait = command.duration("longest_wait", limits.longest_wait);
  limits.names_in_message = command.number("names_in_message", limits.names_in_message);
  return limits;
}

rendezvous::Begun parse_begin(const Command& command) {
  rendezvous::Begun begun{static_cast<Attempt>(parse_number(command.plain(0))), {}, plain_or_empty(command, 1)};
  begun.taken_over = command.number("taken_over", 0) != 0;
  for (const Word& word : command.words) {
    if (word.key != "world") continue;
    std::vector<std::string> members;
    for (const std::string& host : split(word.value, ',')) {
      members.push_back("rank " + std::to_string(members.size()) + " on " + host);
    }
    begun.worlds.push_back(std::move(members));
  }
  return begun;
}

rendezvous::Ended parse_end(const Command& command) {
  return {static_cast<Attempt>(parse_number(command.plain(0))), command.plain(1)};
}

rendezvous::Asked parse_ask(const Command& command, const rendezvous::Asked& defaults) {
  rendezvous::Asked asked;
  asked.rank = static_cast<Rank>(parse_number(command.plain(0)));
  asked.asker.channel = command.number("channel", defaults.asker.channel);
  asked.asker.id = command.number("id", defaults.asker.id);
  asked.attempt = static_cast<Attempt>(command.number("attempt", defaults.attempt));
  asked.world = static_cast<uint32_t>(command.number("world", 0));
  asked.call = parse_call(command);
  return asked;
}

std::string tell(const RendezvousAnswer& answer) {
  if (!answer.status.ok()) return std::string(to_string(answer.status.code())) + ": " + answer.status.message();
  if (!answer.values.empty()) return "[" + join(answer.values, ", ") + "]";
  return answer.value.empty() ? "ok" : "\"" + answer.value + "\"";
}

}  // namespace muster::scenario
