// AgentStream: one link to a coordinator, seen from the agent's side. Internal to adapter/grpc; loop thread only.
//
// Whoever starts one closes it.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>
#include <string>

#include "core/port/agent_channel.h"
#include "core/wire/completion_thread.h"
#include "core/wire/outbox.h"
#include "proto/agent.grpc.pb.h"

namespace muster {

class AgentStream final : public std::enable_shared_from_this<AgentStream> {
 public:
  // `who` names the coordinator behind `channel` in sentences.
  AgentStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel);
  // One of several whose completions one thread takes to the loop; that must outlive it.
  AgentStream(CompletionThread& shared, std::string who, std::shared_ptr<grpc::Channel> channel);

  // Once, right after construction. `on_open` runs once: success, or why not.
  void start(std::function<void(const Status&)> on_open);
  void send(const AgentMessage& message);
  void listen(std::function<void(const CoordinatorMessage&)> on_message, std::function<void(const Status&)> on_closed);
  // Silent from here on. Cancels the call and, unless it shares its thread, waits (well below a millisecond) until gRPC is done with it.
  // Repeatable.
  void close();

 private:
  struct Handlers {
    std::function<void(const CoordinatorMessage&)> on_message;
    std::function<void(const Status&)> on_closed;
  };

  // The tag of one operation; `then` may use `this`.
  void* tag(std::function<void(bool ok)> then);
  void started();
  void opened();
  void read_next();
  void read(bool ok);
  void wrote(bool ok);
  void pump();
  void give_up(const Status& status);
  void finish();
  void ended();

  const std::string who_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<wire::AgentLink::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<wire::FromAgent, wire::ToAgent>> stream_;
  wire::ToAgent incoming_;    // gRPC's while a read is under way
  grpc::Status grpc_status_;  // gRPC's once finishing

  std::function<void(const Status&)> on_open_;
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::FromAgent> outbox_;
  Status verdict_;  // ours, if we ended the call
  TimerId deadline_ = 0;
  bool finishing_ = false;  // no operation may follow
  bool closed_ = false;
  const std::unique_ptr<CompletionThread> own_;  // unless it is shared
  CompletionThread& thread_;
};

}  // namespace muster
