// SPDX-License-Identifier: Apache-2.0
// TcpStoreHost: the RankStoreHost for torch's TCPStore clients. docs/reference/torch-store.md describes the requests.
//
// Each store has its own thread and socket. Stores share no state.
#pragma once

#include "core/node/torch_store/limits.h"
#include "core/node/torch_store/rank_store.h"

namespace muster {

class TcpStoreHost final : public RankStoreHost {
 public:
  explicit TcpStoreHost(const tcpstore::Limits& limits = {}) : limits_(limits) {}

  // Port 0 takes any free port; see port().
  Result<std::unique_ptr<RankStore>> open(const Endpoint& here) override;

  // `there` must be a store of muster. It need not be open yet: clients wait until it is.
  Result<std::unique_ptr<RankStore>> open_proxy(const Endpoint& here, const Endpoint& there) override;

  // The port of a store that a TcpStoreHost opened.
  static uint16_t port(const RankStore& store);

 private:
  tcpstore::Limits limits_;
};

}  // namespace muster
