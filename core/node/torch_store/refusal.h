// Refusal: why a store ends a client or does not take one, in words for people; and Troubles, which keeps what was not told yet.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tcpstore {

// What was broken: of each only the first is told, so that nobody fills a journal.
enum class Rule : uint8_t {
  protocol,
  key,
  value,
  keys,
  request,
  reply,
  memory,
  buffers,
  clients,
  descriptors,
  address,
  user
};

struct Refusal {
  Rule rule = Rule::protocol;
  std::string words;  // goes on where "the ranks' store on node-a" ended
};

// "cut a client off: a value of 9,437,184 bytes, where 8 MiB is the most"
Refusal cut_off(Rule rule, const std::string& what);
Refusal too_large(Rule rule, const std::string& what, uint64_t bytes, uint64_t most);

Refusal too_many_clients(uint64_t most);
Refusal without_descriptors(uint64_t clients);

// A key as a sentence shows it.
std::string shown_key(std::string_view key);

// Told on a store's thread, asked on the loop's.
class Troubles {
 public:
  void tell(const Refusal& refusal);
  // The words, each once.
  std::optional<std::string> next();

 private:
  // mutex: the store's thread tells, the loop's asks
  std::mutex guard_;
  std::set<Rule> told_;
  std::vector<std::string> waiting_;
};

}  // namespace muster::tcpstore
