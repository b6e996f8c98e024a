// SPDX-License-Identifier: Apache-2.0
// ServedAgent: the coordinator's end of one agent's link. Internal to core/wire; loop thread only.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>

#include "core/port/agent_channel.h"
#include "core/wire/live_calls.h"
#include "core/wire/outbox.h"
#include "proto/agent.grpc.pb.h"

namespace muster {

using AgentArrival = std::function<void(ArrivedAgent)>;
using AgentLinkService = wire::AgentLink::AsyncService;

class ServedAgent final : public LiveCall {
 public:
  // Starts to serve agents, any number of them.
  static void accept(LiveCalls& calls, AgentLinkService& service, AgentArrival on_agent);

  ServedAgent(LiveCalls& calls, AgentLinkService& service, AgentArrival on_agent)
      : LiveCall(calls),
        service_(service),
        on_agent_(std::move(on_agent)) {}

  // Called by the channel object.
  void send(const CoordinatorMessage& message);
  void listen(std::function<void(const AgentMessage&)> on_message, std::function<void(const Status&)> on_closed);
  // The channel was destroyed: no handler is called any more. Queued messages are still written for up to 5 s.
  void let_go();

  void abandon() override;

 private:
  struct Handlers {
    std::function<void(const AgentMessage&)> on_message;
    std::function<void(const Status&)> on_closed;
  };
  struct Grpc {
    grpc::ServerContext context;
    grpc::ServerAsyncReaderWriter<wire::ToAgent, wire::FromAgent> stream{&context};
    wire::FromAgent incoming;  // used by gRPC during a read
  };

  void arrived(bool ok);
  void read_next();
  void read(bool ok);
  void received(const AgentMessage& message);
  void meet(const Hello& hello);
  void wrote(bool ok);
  void pump();
  void arm(Duration patience, const Status& late);
  void close(const Status& to_agent, const Status& to_us);
  void free_grpc() override { grpc_.reset(); }

  AgentLinkService& service_;
  std::unique_ptr<Grpc> grpc_ = std::make_unique<Grpc>();
  AgentArrival on_agent_;               // until Hello has arrived
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::ToAgent> outbox_;
  TimerId deadline_ = 0;
  bool leaving_ = false;
};

}  // namespace muster
