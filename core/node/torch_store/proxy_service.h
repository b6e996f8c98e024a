// ProxyService: carries the clients of a Front to the store of another front end, over one connection. It keeps nothing
// and knows nothing of keys. While the store cannot be reached, clients are not accepted; when it goes, they end.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/node/torch_store/front.h"
#include "core/port/store_endpoint.h"

namespace muster::tcpstore {

class ProxyService final : public Service {
 public:
  explicit ProxyService(Endpoint there) : there_(std::move(there)) {}

  void begin(Front& front) override;
  std::unique_ptr<Talk> talk(Connection& connection) override;

 private:
  friend class Carried;
  friend class Upstream;
  void dial();
  void dial_later();
  void lost();

  Endpoint there_;
  Front* front_ = nullptr;
  Connection* upstream_ = nullptr;
  std::unordered_map<uint32_t, Connection*> clients_;
  uint32_t next_ = 1;
  std::string out_;
};

}  // namespace muster::tcpstore
