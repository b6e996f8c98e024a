// SPDX-License-Identifier: Apache-2.0
// NodeServices: starts and stops the node services of one agent (port/node_service.h) for each attempt. It starts one service
// after the other, or several if one allows that, passes their variables to the ranks, and reports a failure once. Loop thread only.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>

#include "core/port/node_service.h"

namespace muster {

class NodeServices {
 public:
  struct Handlers {
    std::function<void(const std::string& why)>
        failed;  // a service failed after the ranks had started; they should end
    std::function<void(const std::string& what)> trouble;  // a problem that the user should see
    std::function<void()> changed;                         // a report would differ
    std::function<void(uint32_t index)> kill;              // a rank has asked a service for its end
    // ProcessHost::sweep() of what a service program has left running.
    std::function<void(std::function<void(uint32_t killed)> done)> sweep;
  };
  NodeServices(NodeServiceList services, Handlers handlers)
      : services_(std::move(services)),
        handlers_(std::move(handlers)) {}
  ~NodeServices() {
    ++*round_;
    *alive_ = false;
  }
  NodeServices(const NodeServices&) = delete;
  NodeServices& operator=(const NodeServices&) = delete;

  // False: another program uses one of the ports.
  bool reserve(const Bind& bind, const NodePorts& ports);

  struct Beginning {
    const Bind& bind;  // outlives the attempt
    DesiredState desired;
    NodePorts ports;
    std::function<std::vector<SpawnRequest>()> ranks;  // the ranks of this node, as known so far
    ServiceRendezvous rendezvous;
    std::function<void(uint32_t index, const RankGift& gift)> give;  // adds it to what the rank gets
    std::function<void(const std::string& failure)> done;            // called once; empty: the ranks may start
  };
  // Call it only when stopped().
  void start(Beginning beginning);
  bool starting() const { return beginning_ && beginning_->done; }
  // The attempt ends before its ranks have started: no further service starts, and `done` is not called. Services that have
  // started continue, since ranks on other nodes may use them. False: none was starting.
  bool abandon();
  // Stops all services, and then kills what a service program has left running. `done` and the handlers are not called for this
  // attempt any more, except `changed` and `sweep`.
  void stop();
  bool stopped() const;

  void tell(Report& report) const;
  // NodeService::fault() of the first service that knows a reason.
  RankFault fault(uint32_t index, const ExitStatus& exit) const;

 private:
  void start_next();
  void goes_on(const NodeService& service);
  void is_ready(NodeService& service);
  void has_failed(const std::string& why);
  void finish(const std::string& failure);
  bool all_stopped() const;
  void sweep_when_stopped();
  ServiceEvents events_of(NodeService& service);

  const NodeServiceList services_;
  const Handlers handlers_;
  std::optional<Beginning> beginning_;
  size_t starting_ = 0;                   // index in services_
  std::set<const NodeService*> unready_;  // that have started
  std::string failure_;                   // of the attempt, after its ranks had started; empty: none
  enum class Sweep { none, due, runs } sweep_ = Sweep::none;  // of what a service program has left running
  bool stopping_ = false;
  std::shared_ptr<uint64_t> round_ = std::make_shared<uint64_t>(0);  // rises with each stop(); older events are dropped
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
