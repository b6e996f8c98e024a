// SPDX-License-Identifier: Apache-2.0
// ExecCall: the server's end of the stream between an exec process and its viewer, in a controller or an agent. Internal to core/wire;
// loop thread only.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>

#include "core/port/exec_channel.h"
#include "core/wire/live_calls.h"
#include "core/wire/outbox.h"
#include "proto/exec.pb.h"

namespace muster {

class ExecCall final : public LiveCall {
 public:
  using Stream = grpc::ServerAsyncReaderWriter<wire::ExecFrame, wire::ExecFrame>;
  // Asks gRPC for the next call of a method.
  using Request =
      std::function<void(grpc::ServerContext* context, Stream* stream, grpc::ServerCompletionQueue* queue, void* tag)>;
  // Gets each new viewer with its first frame.
  using Begin = std::function<void(const ExecStart& start, std::unique_ptr<ExecChannel> viewer)>;

  // Starts to serve viewers, any number of them.
  static void accept(LiveCalls& calls, const Request& request, const Begin& begin);

  ExecCall(LiveCalls& calls, Request request, Begin begin)
      : LiveCall(calls),
        request_(std::move(request)),
        begin_(std::move(begin)) {}

  // Called by the channel object.
  void send(const ExecFrame& frame);
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed);
  // The channel was destroyed: queued frames are still written while the viewer is connected.
  void let_go();

  void abandon() override;

 private:
  struct Handlers {
    std::function<void(const ExecFrame&)> on_message;
    std::function<void(const Status&)> on_closed;
  };
  struct Grpc {
    grpc::ServerContext context;
    Stream stream{&context};
    wire::ExecFrame incoming;  // used by gRPC during a read
  };

  void arrived(bool ok);
  void read_next();
  void read(bool ok);
  void received(const ExecFrame& frame);
  void begin(const ExecFrame& first);
  void wrote(bool ok);
  void pump();
  void close(const Status& to_viewer, const Status& to_us);
  void free_grpc() override { grpc_.reset(); }

  const Request request_;
  const Begin begin_;
  std::unique_ptr<Grpc> grpc_ = std::make_unique<Grpc>();
  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::ExecFrame> outbox_;
  bool begun_ = false;
  bool leaving_ = false;
};

}  // namespace muster
