// SPDX-License-Identifier: Apache-2.0
// SimExchange: the MPI service of simulated agents. Like the PMIx and PMI services, it gives the values of its node to the other nodes
// of the attempt, round after round, through the real NodeExchange. After each round it also asks its neighbour for a value, as
// libpmix does on demand. The ranks of a node start after some rounds, so a round that hangs keeps the job from its end.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/node/exchange/node_exchange.h"
#include "core/port/node_service.h"

namespace muster::sim {

// What the services of a world do, and what they found. One object for all.
struct Exchanges {
  uint32_t rounds = 4;         // of an attempt
  uint32_t rounds_before = 2;  // these come before the ranks of the node start
  // Before this node enters a round, from 1.
  std::function<Duration(const MpiTask& task, uint64_t number)> pause = [](const MpiTask&, uint64_t) {
    return std::chrono::seconds(1);
  };

  uint64_t met = 0;                        // rounds that ended well, each counted by each node
  std::map<std::string, uint64_t> starts;  // by name of the world: services
  std::vector<std::string> breaches;       // forbidden results
};

class SimExchange final : public NodeService {
 public:
  SimExchange(Loop& loop, Exchanges& exchanges) : loop_(loop), exchanges_(exchanges) {}
  ~SimExchange() override { stop(); }

  std::string name() const override { return "exchange"; }
  Status reserve(const Bind&, const NodePorts&) override { return {}; }
  void start(const ServiceStart& start, ServiceEvents events) override;
  RankGift gift(uint32_t) const override { return {}; }
  RankFault fault(uint32_t, const ExitStatus&) override { return {}; }
  void stop() override;
  bool stopped() const override { return true; }
  void tell(Report&) override {}

 private:
  void next_round();
  void enter();
  void met(const Status& status, const std::vector<std::string>& values);
  void asked(const Status& status, const std::string& value);
  bool went_well(const Status& status);
  std::string value_of(uint32_t node) const;
  std::string key_of(uint32_t node) const;
  void breach(const std::string& what);

  Loop& loop_;
  Exchanges& exchanges_;
  MpiTask task_;
  ServiceEvents events_;
  std::unique_ptr<NodeExchange> exchange_;  // null: no attempt
  uint64_t round_ = 0;
  TimerId timer_ = 0;
};

}  // namespace muster::sim
