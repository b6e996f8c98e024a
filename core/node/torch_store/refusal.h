// SPDX-License-Identifier: Apache-2.0
// Refusal: the reason why a store disconnects or rejects a client, as a message. RefusalLog: queue of messages to report.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::tcpstore {

// The rule that was broken. Only the first refusal per rule is reported, so that a client cannot fill the journal.
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
  std::string words;  // continues the sentence "the torch store on node-a …"
};

// "closed a client's connection: a value has 9,437,184 bytes; the limit is 8 MiB"
Refusal cut_off(Rule rule, const std::string& what);
Refusal too_large(Rule rule, const std::string& what, uint64_t bytes, uint64_t most);

Refusal too_many_clients(uint64_t most);
Refusal without_descriptors(uint64_t clients);

// The key escaped, shortened and in backquotes, for messages.
std::string shown_key(std::string_view key);

// Collects refusals on a store's thread; the loop thread takes them.
class RefusalLog {
 public:
  void tell(const Refusal& refusal);
  // The next message, each once.
  std::optional<std::string> next();

 private:
  // mutex: protects the rest; tell() and next() run on different threads.
  std::mutex guard_;
  std::set<Rule> told_;
  std::vector<std::string> waiting_;
};

}  // namespace muster::tcpstore
