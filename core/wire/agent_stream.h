// SPDX-License-Identifier: Apache-2.0
// AgentStream: one link to a coordinator, seen from the agent's side. Internal to core/wire; loop thread only.
//
// The owner must call close() after start().
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
  // `who` names the coordinator behind `channel` in messages.
  AgentStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel);
  // Several streams may share one thread for their completions. `shared` must outlive the stream.
  AgentStream(CompletionThread& shared, std::string who, std::shared_ptr<grpc::Channel> channel);

  // Call it once, right after construction. `on_open` is called once: ok, or why the link could not be opened.
  void start(std::function<void(const Status&)> on_open);
  void send(const AgentMessage& message);
  void listen(std::function<void(const CoordinatorMessage&)> on_message, std::function<void(const Status&)> on_closed);
  // No handler is called afterwards. Cancels the call. Unless the thread is shared, waits (well below 1 ms) until gRPC has
  // finished it. May be called repeatedly.
  void close();

 private:
  struct Handlers {
    std::function<void(const CoordinatorMessage&)> on_message;
    std::function<void(const Status&)> on_closed;
  };

  // Returns the tag of one operation; `then` may use `this`.
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
  wire::ToAgent incoming_;    // used by gRPC during a read
  grpc::Status grpc_status_;  // used by gRPC from finish() on

  std::function<void(const Status&)> on_open_;
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::FromAgent> outbox_;
  Status verdict_;  // why this side ended the call; ok: it did not
  TimerId deadline_ = 0;
  bool finishing_ = false;  // no operation may follow
  bool closed_ = false;
  const std::unique_ptr<CompletionThread> own_;  // null: the thread is shared
  CompletionThread& thread_;
};

}  // namespace muster
