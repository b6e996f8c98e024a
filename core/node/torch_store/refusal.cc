// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/refusal.h"

#include "core/base/text.h"

namespace muster::tcpstore {
namespace {

constexpr size_t kShownOfKey = 64;

}  // namespace

Refusal cut_off(Rule rule, const std::string& what) { return {rule, "closed a client's connection: " + what}; }

Refusal too_large(Rule rule, const std::string& what, uint64_t bytes, uint64_t most) {
  return cut_off(rule, what + " has " + count_of(bytes, "byte") + "; the limit is " + humane_size(most));
}

Refusal too_many_clients(uint64_t most) {
  return {Rule::clients, "rejected a client: " + count_of(most, "client") + " are connected, which is the limit"};
}

Refusal without_descriptors(uint64_t clients) {
  return {Rule::descriptors, "has no free file descriptor (" + count_of(clients, "client") +
                                 (clients == 1 ? " is" : " are") +
                                 " connected); further clients wait. Raise the limit with ulimit -Hn"};
}

std::string shown_key(std::string_view key) {
  const std::string shown = escaped(key.substr(0, kShownOfKey));
  return "`" + shown + (key.size() > kShownOfKey ? "…" : "") + "`";
}

void RefusalLog::tell(const Refusal& refusal) {
  const std::lock_guard<std::mutex> lock(guard_);
  if (told_.insert(refusal.rule).second) waiting_.push_back(refusal.words);
}

std::optional<std::string> RefusalLog::next() {
  const std::lock_guard<std::mutex> lock(guard_);
  if (waiting_.empty()) return std::nullopt;
  std::string first = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  return first;
}

}  // namespace muster::tcpstore
