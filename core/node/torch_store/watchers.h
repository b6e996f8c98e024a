// SPDX-License-Identifier: Apache-2.0
// Watchers: the clients that are notified of each change of a key. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "core/node/torch_store/waiters.h"

namespace muster::tcpstore {

class Watchers {
 public:
  // Bytes of memory that add() will take.
  static size_t cost(std::string_view key);

  // A client that watches a key several times is notified as many times.
  void add(StoreClient& client, std::string_view key);
  void remove(StoreClient& client);

  // In order of arrival.
  const std::vector<StoreClient*>& of(std::string_view key) const;

  size_t bytes() const { return bytes_; }

 private:
  ByKey<std::vector<StoreClient*>> clients_;  // none of them empty
  size_t bytes_ = 0;
};

}  // namespace muster::tcpstore
