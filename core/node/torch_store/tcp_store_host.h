// TcpStoreHost: the RankStoreHost that torch's clients know, each store with a thread and a socket of its own.
// docs/store.md tells what it answers.
//
// Nothing is shared between stores, and nothing outlives one.
#pragma once

#include "core/node/torch_store/limits.h"
#include "core/node/torch_store/rank_store.h"

namespace muster {

class TcpStoreHost final : public RankStoreHost {
 public:
  explicit TcpStoreHost(const tcpstore::Limits& limits = {}) : limits_(limits) {}

  // Port 0 takes any that is free; port() of the store tells which.
  Result<std::unique_ptr<RankStore>> open(const Endpoint& here) override;

  // `there` must be a store of ours. It need not be open yet: clients wait until it is.
  Result<std::unique_ptr<RankStore>> open_proxy(const Endpoint& here, const Endpoint& there) override;

  // Of a store that this made.
  static uint16_t port(const RankStore& store);

 private:
  tcpstore::Limits limits_;
};

}  // namespace muster
