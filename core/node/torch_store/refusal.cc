#include "core/node/torch_store/refusal.h"

#include "core/base/text.h"

namespace muster::tcpstore {
namespace {

constexpr size_t kShownOfKey = 64;

}  // namespace

Refusal cut_off(Rule rule, const std::string& what) { return {rule, "cut a client off: " + what}; }

Refusal too_large(Rule rule, const std::string& what, uint64_t bytes, uint64_t most) {
  return cut_off(rule, what + " of " + count_of(bytes, "byte") + ", where " + humane_size(most) + " is the most");
}

Refusal too_many_clients(uint64_t most) {
  return {Rule::clients, "turned a client away: " + humane_count(most) + " are connected, which is the most"};
}

Refusal without_descriptors(uint64_t clients) {
  return {Rule::descriptors, "has no file descriptor left with " + count_of(clients, "client") +
                                 "; others wait to be accepted (ulimit -Hn raises the limit)"};
}

std::string shown_key(std::string_view key) {
  const std::string shown = escaped(key.substr(0, kShownOfKey));
  return "`" + shown + (key.size() > kShownOfKey ? "…" : "") + "`";
}

void Troubles::tell(const Refusal& refusal) {
  const std::lock_guard<std::mutex> lock(guard_);
  if (told_.insert(refusal.rule).second) waiting_.push_back(refusal.words);
}

std::optional<std::string> Troubles::next() {
  const std::lock_guard<std::mutex> lock(guard_);
  if (waiting_.empty()) return std::nullopt;
  std::string first = std::move(waiting_.front());
  waiting_.erase(waiting_.begin());
  return first;
}

}  // namespace muster::tcpstore
