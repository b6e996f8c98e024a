// Watchers: which clients are told of every change of which keys. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "core/node/torch_store/waiters.h"

namespace muster::tcpstore {

class Watchers {
 public:
  // What add() will take of memory.
  static size_t cost(std::string_view key);

  // A key may be watched more than once; its client is then told as often.
  void add(StoreClient& client, std::string_view key);
  void remove(StoreClient& client);

  // In the order in which they came.
  const std::vector<StoreClient*>& of(std::string_view key) const;

  size_t bytes() const { return bytes_; }

 private:
  ByKey<std::vector<StoreClient*>> clients_;  // none of them empty
  size_t bytes_ = 0;
};

}  // namespace muster::tcpstore
