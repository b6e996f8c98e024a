// The half of KeyStore whose clients are told later: waits, barriers, queues, watches.
#include <algorithm>

#include "core/node/torch_store/key_store.h"
#include "core/node/torch_store/key_store_words.h"

namespace muster::tcpstore {
namespace {

// As kEntryCost.
constexpr size_t kItemCost = 48;
constexpr size_t kWatchCost = 96;

constexpr char kStopWaiting = 0;
constexpr char kWaitCancelled = 1;

}  // namespace

void KeyStore::forget(StoreClient& client) {
  waiters_.remove(client);
  for (const std::string& key : client.watches_) {
    bytes_ -= kWatchCost + 2 * key.size();
    // A key watched twice is gone at its first turn.
    const auto found = watchers_.find(key);
    if (found == watchers_.end()) continue;
    std::erase(found->second, &client);
    if (found->second.empty()) watchers_.erase(found);
  }
  client.watches_.clear();
  if (client.told_) std::erase(told_, &client);
  client.told_ = false;
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
  if (!room_for(more)) return false;
  waiters_.remove(client);  // who asks anew has given up what it waited for
  waiters_.add(client, keys);
  return true;
}

bool KeyStore::cancel_wait(StoreClient& client) {
  waiters_.remove(client);
  reply(client) += kWaitCancelled;
  return true;
}

// The key counts who came, for ever: who comes to a barrier that was full passes. So has torch.
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
  auto found = queues_.find(queue);
  const size_t more = item.size() + kItemCost + (found == queues_.end() ? queue.size() + kEntryCost : 0);
  if (!room_for(more)) return false;
  bytes_ += more;
  if (found == queues_.end()) found = queues_.emplace(std::string(queue), std::deque<std::string>()).first;
  found->second.emplace_back(item);
  // One item serves one client.
  if (StoreClient* woken = waiters_.wake_one(queue)) reply(*woken) += kStopWaiting;
  return true;
}

// The length before the item was taken, and the item, if there was one.
bool KeyStore::queue_pop(StoreClient& client, std::string_view queue) {
  const auto found = queues_.find(queue);
  std::string& out = reply(client);
  put<int64_t>(out, found == queues_.end() ? 0 : static_cast<int64_t>(found->second.size()));
  if (found == queues_.end()) return true;
  put_text(out, found->second.front());
  bytes_ -= found->second.front().size() + kItemCost;
  found->second.pop_front();
  if (!found->second.empty()) return true;
  bytes_ -= found->first.size() + kEntryCost;
  queues_.erase(found);
  return true;
}

bool KeyStore::queue_length(StoreClient& client, std::string_view queue) {
  const auto found = queues_.find(queue);
  put<int64_t>(reply(client), found == queues_.end() ? 0 : static_cast<int64_t>(found->second.size()));
  return true;
}

bool KeyStore::watch(StoreClient& client, std::string_view key) {
  if (!room_for(kWatchCost + 2 * key.size())) return false;
  bytes_ += kWatchCost + 2 * key.size();
  watchers_[std::string(key)].push_back(&client);
  client.watches_.emplace_back(key);
  reply(client) += static_cast<char>(kRegistered);
  return true;
}

void KeyStore::wake(std::string_view key) {
  for (StoreClient* client : waiters_.wake(key)) reply(*client) += kStopWaiting;
}

void KeyStore::tell_watchers(uint8_t kind, std::string_view key, std::string_view before, std::string_view after) {
  if (watchers_.empty()) return;
  const auto found = watchers_.find(key);
  if (found == watchers_.end()) return;
  for (StoreClient* client : found->second) {
    std::string& out = reply(*client);
    // A watcher that does not read is not worth more memory; its carrier ends it for what it has already.
    if (out.size() > limits_->reply) continue;
    out += static_cast<char>(kind);
    put_text(out, key);
    put_text(out, before);
    put_text(out, after);
  }
}

}  // namespace muster::tcpstore
