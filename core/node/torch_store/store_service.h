// StoreService: a store for the clients of a Front, and for those that other front ends carry to it.
#pragma once

#include <memory>

#include "core/node/torch_store/front.h"
#include "core/node/torch_store/session.h"

namespace muster::tcpstore {

class StoreService final : public Service {
 public:
  explicit StoreService(const Limits& limits) : state_(limits) {}

  void begin(Front& front) override;
  std::unique_ptr<Talk> talk(Connection& connection) override;

 private:
  StoreState state_;
};

}  // namespace muster::tcpstore
