// AgentStream: one link to a coordinator, seen from the agent's side. Internal to adapter/grpc.
//
// Threads: gRPC's only post; operations are started on the loop thread, under a hold that keeps gRPC from calling
// OnDone before we said that nothing more will start.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/client_callback.h>

#include <functional>
#include <memory>
#include <string>

#include "core/adapter/grpc/ended.h"
#include "core/adapter/grpc/loop_gate.h"
#include "core/adapter/grpc/outbox.h"
#include "core/port/agent_channel.h"
#include "proto/agent.grpc.pb.h"

namespace muster {

class AgentStream final : public grpc::ClientBidiReactor<wire::FromAgent, wire::ToAgent>,
                          public std::enable_shared_from_this<AgentStream> {
 public:
  AgentStream(Loop& loop, const std::string& socket_path);

  // Loop thread, as all public calls. Once, right after construction. `on_open` runs once: success, or why not.
  void start(std::function<void(const Status&)> on_open);
  // The link takes messages from here on: after `on_open` returned and the channel's owner listens.
  void read_next();
  void send(const AgentMessage& message);
  void listen(std::function<void(const CoordinatorMessage&)> on_message,
              std::function<void(const Status&)> on_closed);
  // Silent from here on. Cancels the call and waits (well below a millisecond) until gRPC has forgotten it.
  // Repeatable.
  void close();

 private:
  struct Handlers {
    std::function<void(const CoordinatorMessage&)> on_message;
    std::function<void(const Status&)> on_closed;
  };

  // gRPC's threads.
  void OnReadInitialMetadataDone(bool ok) override;
  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnDone(const grpc::Status& status) override;

  // Loop thread.
  void opened();
  void received(const CoordinatorMessage& message);
  void wrote(bool ok);
  void pump();
  void give_up(const Status& status);
  void let_go();
  void ended(const Status& status);

  const std::string who_;
  Ended done_with_us_;
  LoopGate gate_;
  std::shared_ptr<grpc::Channel> channel_;  // must end on the loop thread: its end joins gRPC's threads
  std::unique_ptr<wire::AgentLink::Stub> stub_;
  grpc::ClientContext context_;
  wire::ToAgent incoming_;  // gRPC's while a read is under way

  // Loop thread's own.
  std::function<void(const Status&)> on_open_;
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::FromAgent> outbox_;
  Status verdict_;         // ours, if we ended the call
  TimerId deadline_ = 0;
  bool holding_ = true;
};

}  // namespace muster
