// SPDX-License-Identifier: Apache-2.0
// SimStores: the torch stores of a simulated machine's agents. They contain no keys: tests check that a port has one store at a time
// and that none is left.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/node/torch_store/rank_store.h"

namespace muster::sim {

class SimStores final : public RankStoreHost {
 public:
  Result<std::unique_ptr<RankStore>> open(const Endpoint& here) override {
    if (taken_ > 0) {
      --taken_;
      return Status(Code::unavailable, "port " + std::to_string(here.port) + " is taken by another program");
    }
    if (!open_->insert(here.port).second)
      return Status(Code::unavailable, "port " + std::to_string(here.port) + " is taken");
    return std::unique_ptr<RankStore>(std::make_unique<Store>(open_, here.port));
  }
  Result<std::unique_ptr<RankStore>> open_proxy(const Endpoint& here, const Endpoint&) override { return open(here); }
  const std::set<uint16_t>& ports() const { return *open_; }
  // The next `count` attempts to open a store fail: programs without leases use the ports.
  void take_next(uint32_t count) { taken_ = count; }

 private:
  using Open = std::shared_ptr<std::set<uint16_t>>;
  class Store final : public RankStore {
   public:
    Store(Open open, uint16_t port) : open_(std::move(open)), port_(port) {}
    ~Store() override { open_->erase(port_); }
    void admit(const std::vector<std::string>&) override {}

   private:
    const Open open_;
    const uint16_t port_;
  };
  Open open_ = std::make_shared<std::set<uint16_t>>();
  uint32_t taken_ = 0;
};

}  // namespace muster::sim
