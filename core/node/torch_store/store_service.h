// SPDX-License-Identifier: Apache-2.0
// StoreService: serves a store to the clients of a StoreServer and to the clients of store proxies.
#pragma once

#include <memory>

#include "core/node/torch_store/session.h"
#include "core/node/torch_store/store_server.h"

namespace muster::tcpstore {

class StoreService final : public Service {
 public:
  explicit StoreService(const Limits& limits) : state_(limits) {}

  void begin(StoreServer& server) override;
  std::unique_ptr<ConnectionHandler> make_handler(Connection& connection) override;

 private:
  StoreState state_;
};

}  // namespace muster::tcpstore
