// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/watchers.h"

#include "core/node/torch_store/key_store.h"

namespace muster::tcpstore {
namespace {

// Bytes of map and allocator overhead, in addition to the key, which is stored twice.
constexpr size_t kWatchCost = 96;

}  // namespace

size_t Watchers::cost(std::string_view key) { return kWatchCost + 2 * key.size(); }

void Watchers::add(StoreClient& client, std::string_view key) {
  bytes_ += cost(key);
  clients_[std::string(key)].push_back(&client);
  client.watches_.emplace_back(key);
}

void Watchers::remove(StoreClient& client) {
  for (const std::string& key : client.watches_) {
    bytes_ -= cost(key);
    // A key that is watched twice was removed by the first iteration.
    const auto found = clients_.find(key);
    if (found == clients_.end()) continue;
    std::erase(found->second, &client);
    if (found->second.empty()) clients_.erase(found);
  }
  client.watches_.clear();
}

const std::vector<StoreClient*>& Watchers::of(std::string_view key) const {
  static const std::vector<StoreClient*> nobody;
  if (clients_.empty()) return nobody;
  const auto found = clients_.find(key);
  return found == clients_.end() ? nobody : found->second;
}

}  // namespace muster::tcpstore
