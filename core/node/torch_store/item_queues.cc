// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/item_queues.h"

#include "core/node/torch_store/entry_cost.h"

namespace muster::tcpstore {
namespace {

// Like kEntryCost, for an item of a queue.
constexpr size_t kItemCost = 48;

}  // namespace

size_t ItemQueues::cost(std::string_view queue, std::string_view item) const {
  return item.size() + kItemCost + (contains(queue) ? 0 : queue.size() + kEntryCost);
}

void ItemQueues::push(std::string_view queue, std::string_view item) {
  bytes_ += cost(queue, item);
  auto found = queues_.find(queue);
  if (found == queues_.end()) found = queues_.emplace(std::string(queue), std::deque<std::string>()).first;
  found->second.emplace_back(item);
}

std::optional<std::string> ItemQueues::pop(std::string_view queue) {
  const auto found = queues_.find(queue);
  if (found == queues_.end()) return std::nullopt;
  std::string item = std::move(found->second.front());
  bytes_ -= item.size() + kItemCost;
  found->second.pop_front();
  if (!found->second.empty()) return item;
  bytes_ -= found->first.size() + kEntryCost;
  queues_.erase(found);
  return item;
}

size_t ItemQueues::length(std::string_view queue) const {
  const auto found = queues_.find(queue);
  return found == queues_.end() ? 0 : found->second.size();
}

}  // namespace muster::tcpstore
