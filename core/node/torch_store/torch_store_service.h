// SPDX-License-Identifier: Apache-2.0
// TorchStoreService: the node service that runs the torch store. Each attempt has its own store, which listens before the
// ranks of the attempt start. Loop thread only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/log.h"
#include "core/node/torch_store/rank_store.h"
#include "core/port/loop.h"
#include "core/port/node_service.h"

namespace muster {

struct TorchStorePorts {
  Loop& loop;
  RankStoreHost& stores;
  Log& log;
};

class TorchStoreService final : public NodeService {
 public:
  // `host`: the node's name in messages.
  TorchStoreService(TorchStorePorts ports, std::string host) : ports_(ports), host_(std::move(host)) {}

  std::string name() const override { return "store"; }
  Status reserve(const Bind& bind, const NodePorts& ports) override;
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t) const override { return {}; }
  RankFault fault(uint32_t, const ExitStatus&) override { return {}; }
  void stop() override;
  bool stopped() const override { return store_ == nullptr; }
  void tell(Report& report) override;

 private:
  Status open(const StoreTask& task, uint16_t port);
  void report_problem();

  TorchStorePorts ports_;
  const std::string host_;
  std::optional<std::string> address_;  // where the next store listens; empty: this node has no store
  std::unique_ptr<RankStore> spare_;    // for the next attempt
  std::unique_ptr<RankStore> store_;    // of the current attempt
  TimePoint met_;
  ServiceEvents events_;
};

}  // namespace muster
