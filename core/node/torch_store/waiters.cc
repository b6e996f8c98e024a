// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/waiters.h"

#include "core/node/torch_store/key_store.h"

namespace muster::tcpstore {
namespace {

constexpr size_t kCost = 200;  // bytes of an entry and its ticket, in addition to the key

}  // namespace

void Waiters::add(StoreClient& client, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) {
    auto line = lines_.find(key);
    if (line == lines_.end()) line = lines_.emplace(std::string(key), Line()).first;
    line->second.emplace(next_ticket_, &client);
    client.tickets_.push_back({std::string(key), next_ticket_++});
    bytes_ += kCost + 2 * key.size();
  }
  client.awaited_ = keys.size();
}

std::vector<StoreClient*> Waiters::wake(std::string_view key) {
  std::vector<StoreClient*> woken;
  const auto found = lines_.find(key);
  if (found == lines_.end()) return woken;
  // Taken out first, so that remove() does not find it.
  const Line line = std::move(found->second);
  lines_.erase(found);
  for (const auto& [ticket, client] : line) {
    if (--client->awaited_ > 0) continue;
    remove(*client);
    woken.push_back(client);
  }
  return woken;
}

StoreClient* Waiters::wake_one(std::string_view key) {
  for (auto found = lines_.find(key); found != lines_.end(); found = lines_.find(key)) {
    const auto [ticket, client] = *found->second.begin();
    leave(key, ticket);
    if (--client->awaited_ > 0) continue;
    remove(*client);
    return client;
  }
  return nullptr;
}

void Waiters::leave(std::string_view key, uint64_t ticket) {
  const auto line = lines_.find(key);
  if (line == lines_.end()) return;
  line->second.erase(ticket);
  if (line->second.empty()) lines_.erase(line);
}

void Waiters::remove(StoreClient& client) {
  for (const auto& [key, ticket] : client.tickets_) {
    bytes_ -= kCost + 2 * key.size();
    leave(key, ticket);
  }
  client.tickets_.clear();
  client.tickets_.shrink_to_fit();
  client.awaited_ = 0;
}

}  // namespace muster::tcpstore
