// SPDX-License-Identifier: Apache-2.0
// ProxyService: the store proxy. It forwards the clients of a StoreServer to the store on another node over one connection. It
// stores nothing and does not parse requests. While the store cannot be reached, clients are not accepted; when the
// connection to the store ends, all clients are disconnected.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/node/torch_store/store_server.h"
#include "core/port/store_endpoint.h"

namespace muster::tcpstore {

class ProxyService final : public Service {
 public:
  explicit ProxyService(Endpoint there) : there_(std::move(there)) {}

  void begin(StoreServer& server) override;
  std::unique_ptr<ConnectionHandler> make_handler(Connection& connection) override;

 private:
  friend class Carried;
  friend class Upstream;
  void dial();
  void dial_later();
  void lost();

  Endpoint there_;
  StoreServer* server_ = nullptr;
  Connection* upstream_ = nullptr;
  std::unordered_map<uint32_t, Connection*> clients_;
  uint32_t next_ = 1;
  std::string out_;
};

}  // namespace muster::tcpstore
