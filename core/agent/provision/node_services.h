// NodeServices: the services of one agent (port/node_service.h), driven through its attempts: one after the other is started, what they
// give ranks is handed on, and a failure is told once. It knows no service by name. Loop thread only.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/port/node_service.h"

namespace muster {

class NodeServices {
 public:
  struct Handlers {
    std::function<void(const std::string& why)> failed;    // after the ranks started: they should end
    std::function<void(const std::string& what)> trouble;  // for people
    std::function<void()> changed;                         // a report would differ
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

  // False: another program has one of the ports.
  bool reserve(const Bind& bind, const NodePorts& ports);

  struct Beginning {
    const Bind& bind;  // outlives the attempt
    DesiredState desired;
    NodePorts ports;
    std::function<std::vector<SpawnRequest>()> ranks;  // that will be spawned, as they stand
    std::function<void(uint32_t index, const std::map<std::string, std::string>& environment)> give;
    std::function<void(const std::string& failure)> done;  // once; empty: the ranks may start
  };
  // After stop(), once stopped().
  void start(Beginning beginning);
  bool starting() const { return beginning_ && beginning_->done; }
  // The attempt ends before its ranks have started: no further service starts, and `done` is not called. Those that have started stay,
  // as ranks of other nodes may use them. False: none was starting.
  bool abandon();
  // Neither `done` nor a handler is called any more on behalf of the attempt.
  void stop();
  bool stopped() const;

  void tell(Report& report) const;

 private:
  void start_next();
  void is_ready(NodeService& service);
  void has_failed(const std::string& why);
  void finish(const std::string& failure);
  ServiceEvents events_of(NodeService& service);

  const NodeServiceList services_;
  const Handlers handlers_;
  std::optional<Beginning> beginning_;
  size_t starting_ = 0;                                              // place in services_
  std::shared_ptr<uint64_t> round_ = std::make_shared<uint64_t>(0);  // events of an earlier one are not heard
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster
