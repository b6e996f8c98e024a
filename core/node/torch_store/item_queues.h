// SPDX-License-Identifier: Apache-2.0
// ItemQueues: queues of items by key. A queue exists while it has an item. Pure.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "core/node/torch_store/waiters.h"

namespace muster::tcpstore {

class ItemQueues {
 public:
  // Bytes of memory that push() will take.
  size_t cost(std::string_view queue, std::string_view item) const;
  void push(std::string_view queue, std::string_view item);
  // Removes the oldest item; nullopt: the queue does not exist.
  std::optional<std::string> pop(std::string_view queue);

  size_t length(std::string_view queue) const;
  bool contains(std::string_view queue) const { return queues_.contains(queue); }

  size_t bytes() const { return bytes_; }

 private:
  ByKey<std::deque<std::string>> queues_;  // none of them empty
  size_t bytes_ = 0;
};

}  // namespace muster::tcpstore
