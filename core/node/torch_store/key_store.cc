// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/key_store.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "core/base/text.h"
#include "core/node/torch_store/entry_cost.h"

namespace muster::tcpstore {
namespace {

constexpr char kReady = 0;
constexpr char kNotReady = 1;
constexpr char kStopWaiting = 0;
constexpr char kWaitCancelled = 1;

enum WatchEvent : uint8_t { kUpdated = 0, kCreated = 1, kDeleted = 2, kRegistered = 3 };

// Parses a number as torch does: white space and a sign may precede it, any text may follow it.
std::optional<int64_t> leading_number(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  if (text.starts_with("+")) {
    text.remove_prefix(1);
    if (text.starts_with("-")) return std::nullopt;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

bool KeyStore::take(StoreClient& client, const Request& request) {
  // An old client that sends another request has given up waiting: it does not report its timeouts.
  if (request.old && client.awaited_ > 0) waiters_.remove(client);
  const std::string_view key = request.keys.empty() ? std::string_view() : request.keys[0];
  switch (request.op) {
    case Op::set: return put_value(key, request.values[0]);
    case Op::compare_set: return compare_set(client, request);
    case Op::get:
    case Op::multi_get: return get(client, request.keys);
    case Op::add: return add(client, request);
    case Op::check: reply(client) += all_present(request.keys) ? kReady : kNotReady; return true;
    case Op::wait: return wait(client, request.keys);
    case Op::num_keys: put<uint64_t>(reply(client), values_.size()); return true;
    case Op::watch_key: return watch(client, key);
    case Op::delete_key: return delete_key(client, key);
    case Op::append: return append(key, request.values[0]);
    case Op::multi_set: return multi_set(request);
    case Op::cancel_wait: return cancel_wait(client);
    case Op::ping: put<uint32_t>(reply(client), static_cast<uint32_t>(request.number)); return true;
    case Op::queue_push: return queue_push(key, request.values[0]);
    case Op::queue_pop: return queue_pop(client, key);
    case Op::queue_length: return queue_length(client, key);
    case Op::list_keys: return list_keys(client);
    case Op::barrier: return barrier(client, request);
  }
  return false;
}

void KeyStore::forget(StoreClient& client) {
  waiters_.remove(client);
  watchers_.remove(client);
  if (client.told_) std::erase(told_, &client);
  client.told_ = false;
}

std::string& KeyStore::reply(StoreClient& client) {
  if (!client.told_) told_.push_back(&client);
  client.told_ = true;
  return client.out;
}

bool KeyStore::refuse(Refusal why) {
  refusal_ = std::move(why);
  return false;
}

bool KeyStore::has_space_for(size_t more) {
  if (more <= limits_->memory && bytes() <= limits_->memory - more) return true;
  return refuse(cut_off(
      Rule::memory, "the store is full; keys, values and waiters together may take " + humane_size(limits_->memory)));
}

bool KeyStore::present(std::string_view key) const { return values_.contains(key) || queues_.contains(key); }

bool KeyStore::put_value(std::string_view key, std::string_view value) {
  const auto found = values_.find(key);
  if (found == values_.end()) {
    const size_t more = key.size() + value.size() + kEntryCost;
    if (!has_space_for(more)) return false;
    bytes_ += more;
    values_.emplace(key, value);
    tell_watchers(kCreated, key, "", value);
  } else {
    if (value.size() > found->second.size() && !has_space_for(value.size() - found->second.size())) return false;
    bytes_ += value.size();
    bytes_ -= found->second.size();
    tell_watchers(kUpdated, key, found->second, value);
    found->second = value;
  }
  wake(key);
  return true;
}

// A missing key counts as an empty value. If another value was expected, no key is created and the reply is the
// expected value, as in torch.
bool KeyStore::compare_set(StoreClient& client, const Request& request) {
  const std::string_view key = request.keys[0], expected = request.values[0], wished = request.values[1];
  const auto found = values_.find(key);
  const bool matches = found == values_.end() ? expected.empty() : found->second == expected;
  if (matches && !put_value(key, wished)) return false;
  std::string& out = reply(client);
  put_text(out, matches ? wished : found == values_.end() ? expected : std::string_view(found->second));
  return true;
}

bool KeyStore::get(StoreClient& client, const std::vector<std::string_view>& keys) {
  size_t size = 0;
  for (const std::string_view key : keys) {
    const auto found = values_.find(key);
    size += 8 + (found == values_.end() ? 0 : found->second.size());
  }
  if (size > limits_->reply) return refuse(too_large(Rule::reply, "a reply", size, limits_->reply));
  if (keys.empty()) return true;
  std::string& out = reply(client);
  for (const std::string_view key : keys) {
    const auto found = values_.find(key);
    put_text(out, found == values_.end() ? std::string_view() : std::string_view(found->second));
  }
  return true;
}

// Wakes no waiters: a barrier does so only when it is complete.
bool KeyStore::add_to(std::string_view key, int64_t by, int64_t& sum) {
  const auto found = values_.find(key);
  const std::optional<int64_t> before = found == values_.end() ? 0 : leading_number(found->second);
  if (!before) return refuse(cut_off(Rule::protocol, "it adds to " + shown_key(key) + ", whose value is not a number"));
  sum = static_cast<int64_t>(static_cast<uint64_t>(*before) + static_cast<uint64_t>(by));
  char text[24];
  const std::string_view after(text, static_cast<size_t>(std::to_chars(text, text + sizeof text, sum).ptr - text));
  if (!has_space_for(found == values_.end() ? key.size() + sizeof text + kEntryCost : sizeof text)) return false;
  if (found == values_.end()) {
    tell_watchers(kCreated, key, "", after);
    bytes_ += key.size() + after.size() + kEntryCost;
    values_.emplace(key, after);
    return true;
  }
  tell_watchers(kUpdated, key, found->second, after);
  bytes_ += after.size();
  bytes_ -= found->second.size();
  found->second = after;
  return true;
}

bool KeyStore::add(StoreClient& client, const Request& request) {
  int64_t sum = 0;
  if (!add_to(request.keys[0], request.number, sum)) return false;
  put<int64_t>(reply(client), sum);
  wake(request.keys[0]);
  return true;
}

bool KeyStore::append(std::string_view key, std::string_view more) {
  const auto found = values_.find(key);
  if (found == values_.end()) return put_value(key, more);
  const size_t sum = found->second.size() + more.size(), most = limits_->reply / 2;
  if (sum > most) return refuse(too_large(Rule::value, "a value for " + shown_key(key), sum, most));
  if (!has_space_for(more.size())) return false;
  bytes_ += more.size();
  const std::string before = watchers_.of(key).empty() ? "" : found->second;
  found->second += more;
  tell_watchers(kUpdated, key, before, found->second);
  wake(key);
  return true;
}

bool KeyStore::multi_set(const Request& request) {
  size_t more = 0;
  for (size_t i = 0; i < request.keys.size(); ++i)
    more += request.keys[i].size() + request.values[i].size() + kEntryCost;
  if (!has_space_for(more)) return false;
  for (size_t i = 0; i < request.keys.size(); ++i) put_value(request.keys[i], request.values[i]);
  return true;
}

bool KeyStore::delete_key(StoreClient& client, std::string_view key) {
  const auto found = values_.find(key);
  put<int64_t>(reply(client), found == values_.end() ? 0 : 1);
  if (found == values_.end()) return true;
  tell_watchers(kDeleted, key, found->second, "");
  bytes_ -= found->first.size() + found->second.size() + kEntryCost;
  values_.erase(found);
  return true;
}

bool KeyStore::list_keys(StoreClient& client) {
  size_t size = 8;
  for (const auto& [key, value] : values_) size += 8 + key.size();
  if (size > limits_->reply) return refuse(too_large(Rule::reply, "a list of all keys", size, limits_->reply));
  std::string& out = reply(client);
  put<uint64_t>(out, values_.size());
  for (const auto& [key, value] : values_) put_text(out, key);
  return true;
}

bool KeyStore::all_present(const std::vector<std::string_view>& keys) const {
  return std::all_of(keys.begin(), keys.end(), [this](std::string_view key) { return present(key); });
}

bool KeyStore::wait(StoreClient& client, const std::vector<std::string_view>& keys) {
  std::vector<std::string_view> missing;
  for (const std::string_view key : keys)
    if (!present(key)) missing.push_back(key);
  if (!missing.empty()) return await(client, missing);
  reply(client) += kStopWaiting;
  return true;
}

bool KeyStore::await(StoreClient& client, const std::vector<std::string_view>& keys) {
  size_t more = 0;
  for (const std::string_view key : keys) more += 2 * key.size() + kEntryCost;
  if (!has_space_for(more)) return false;
  waiters_.remove(client);  // a client that sends a new wait has given up the previous one
  waiters_.add(client, keys);
  return true;
}

bool KeyStore::cancel_wait(StoreClient& client) {
  waiters_.remove(client);
  reply(client) += kWaitCancelled;
  return true;
}

// The key counts the clients that have arrived and is never reset. A client that arrives at a complete barrier passes,
// as in torch.
bool KeyStore::barrier(StoreClient& client, const Request& request) {
  int64_t here = 0;
  const std::string_view key = request.keys[0];
  if (!add_to(key, 1, here)) return false;
  if (here < request.number) return await(client, {key});
  reply(client) += kStopWaiting;
  wake(key);
  return true;
}

bool KeyStore::queue_push(std::string_view queue, std::string_view item) {
  if (!has_space_for(queues_.cost(queue, item))) return false;
  queues_.push(queue, item);
  // One item serves one client.
  if (StoreClient* woken = waiters_.wake_one(queue)) reply(*woken) += kStopWaiting;
  return true;
}

// Replies with the length before the pop, then the item if there was one.
bool KeyStore::queue_pop(StoreClient& client, std::string_view queue) {
  std::string& out = reply(client);
  put<int64_t>(out, static_cast<int64_t>(queues_.length(queue)));
  if (const std::optional<std::string> item = queues_.pop(queue)) put_text(out, *item);
  return true;
}

bool KeyStore::queue_length(StoreClient& client, std::string_view queue) {
  put<int64_t>(reply(client), static_cast<int64_t>(queues_.length(queue)));
  return true;
}

bool KeyStore::watch(StoreClient& client, std::string_view key) {
  if (!has_space_for(Watchers::cost(key))) return false;
  watchers_.add(client, key);
  reply(client) += static_cast<char>(kRegistered);
  return true;
}

void KeyStore::wake(std::string_view key) {
  for (StoreClient* client : waiters_.wake(key)) reply(*client) += kStopWaiting;
}

void KeyStore::tell_watchers(uint8_t kind, std::string_view key, std::string_view before, std::string_view after) {
  for (StoreClient* client : watchers_.of(key)) {
    std::string& out = reply(*client);
    // A watcher that does not read gets no more memory; its carrier closes the connection because of the unread bytes.
    if (out.size() > limits_->reply) continue;
    out += static_cast<char>(kind);
    put_text(out, key);
    put_text(out, before);
    put_text(out, after);
  }
}

}  // namespace muster::tcpstore
