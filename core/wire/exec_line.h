// SPDX-License-Identifier: Apache-2.0
// ExecLine: the viewer's end of the stream between an exec process and its viewer. Internal to core/wire; loop thread only. The
// owner must call close() after start().
#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>
#include <string>

#include "core/port/exec_channel.h"
#include "core/wire/completion_thread.h"
#include "core/wire/outbox.h"
#include "proto/exec.pb.h"

namespace muster {

class ExecLine final : public std::enable_shared_from_this<ExecLine> {
 public:
  using Stream = grpc::ClientAsyncReaderWriter<wire::ExecFrame, wire::ExecFrame>;
  // Makes the call, which has not started yet.
  using Prepare = std::function<std::unique_ptr<Stream>(grpc::ClientContext* context, grpc::CompletionQueue* queue)>;
  // `who` names the server in messages.
  ExecLine(Loop& loop, std::string who, Prepare prepare);

  // Call it once, right after construction.
  void start(const ExecStart& exec);
  void send(const ExecFrame& frame);
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed);
  // No handler is called afterwards, and queued frames are dropped. Waits (well below 1 ms) until gRPC has finished the call.
  void close();

 private:
  struct Handlers {
    std::function<void(const ExecFrame&)> on_message;
    std::function<void(const Status&)> on_closed;
  };

  // Returns the tag of one operation; `then` may use `this`.
  void* tag(std::function<void(bool ok)> then);
  void read_next();
  void read(bool ok);
  void wrote(bool ok);
  void pump();
  void finish();
  void ended();

  const std::string who_;
  const Prepare prepare_;
  grpc::ClientContext context_;
  std::unique_ptr<Stream> stream_;
  wire::ExecFrame incoming_;  // used by gRPC during a read
  grpc::Status grpc_status_;  // used by gRPC from finish() on

  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::ExecFrame> outbox_;
  bool open_ = false;       // gRPC accepts writes
  bool finishing_ = false;  // no operation may follow
  CompletionThread thread_;
};

std::unique_ptr<ExecChannel> open_exec(Loop& loop, const std::string& who, ExecLine::Prepare prepare,
                                       const ExecStart& start);

}  // namespace muster
