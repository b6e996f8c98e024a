// ServedAgent: one agent's stream, seen from the coordinator's side. Internal to adapter/grpc; threads as in
// live_calls.h.
#pragma once

#include <grpcpp/support/server_callback.h>

#include <functional>
#include <memory>

#include "core/adapter/grpc/live_calls.h"
#include "core/adapter/grpc/outbox.h"
#include "core/port/agent_channel.h"
#include "proto/agent.pb.h"

namespace muster {

using AgentArrival = std::function<void(ArrivedAgent)>;

class ServedAgent final : public grpc::ServerBidiReactor<wire::FromAgent, wire::ToAgent>,
                          public LiveCall,
                          public std::enable_shared_from_this<ServedAgent> {
 public:
  using Reactor = grpc::ServerBidiReactor<wire::FromAgent, wire::ToAgent>;

  // Any thread. `on_agent` runs on the loop.
  static Reactor* serve(LiveCalls& calls, AgentArrival on_agent);

  ServedAgent(LiveCalls& calls, AgentArrival on_agent) : calls_(calls), on_agent_(std::move(on_agent)) {}

  // What the channel object does; loop thread.
  void send(const CoordinatorMessage& message);
  void listen(std::function<void(const AgentMessage&)> on_message, std::function<void(const Status&)> on_closed);
  // The channel is destroyed: silent from here on; what is queued is still written, for a while.
  void let_go();

  void abandon() override;

 private:
  struct Handlers {
    std::function<void(const AgentMessage&)> on_message;
    std::function<void(const Status&)> on_closed;
  };

  // gRPC's threads.
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override { calls_.remove(this); }

  // Loop thread.
  void begin();
  void received(const AgentMessage& message);
  void meet(const Hello& hello);
  void wrote(bool ok);
  void pump();
  void read_next();
  void close(const Status& to_agent, const Status& to_us);

  LiveCalls& calls_;
  wire::FromAgent incoming_;  // gRPC's while a read is under way

  // Loop thread's own.
  AgentArrival on_agent_;               // until the hello
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::ToAgent> outbox_;
  TimerId deadline_ = 0;
  bool leaving_ = false;
  bool finished_ = false;
};

}  // namespace muster
