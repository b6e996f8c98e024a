// ExecLine: one exec, seen from its viewer's side. Internal to adapter/grpc; loop thread only. Whoever starts one closes it.
#pragma once

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>

#include <functional>
#include <memory>
#include <string>

#include "core/port/exec_channel.h"
#include "core/wire/completion_thread.h"
#include "core/wire/outbox.h"
#include "proto/control.grpc.pb.h"

namespace muster {

class ExecLine final : public std::enable_shared_from_this<ExecLine> {
 public:
  // `who` names the controller behind `channel` in sentences.
  ExecLine(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel);

  // Once, right after construction.
  void start(const ExecStart& exec);
  void send(const ExecFrame& frame);
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed);
  // Silent from here on; what is queued is dropped. Waits, well below a millisecond, until gRPC is done with it.
  void close();

 private:
  struct Handlers {
    std::function<void(const ExecFrame&)> on_message;
    std::function<void(const Status&)> on_closed;
  };

  // The tag of one operation; `then` may use `this`.
  void* tag(std::function<void(bool ok)> then);
  void read_next();
  void read(bool ok);
  void wrote(bool ok);
  void pump();
  void finish();
  void ended();

  const std::string who_;
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<wire::Control::Stub> stub_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReaderWriter<wire::ExecFrame, wire::ExecFrame>> stream_;
  wire::ExecFrame incoming_;  // gRPC's while a read is under way
  grpc::Status grpc_status_;  // gRPC's once finishing

  std::shared_ptr<Handlers> handlers_;  // shared: a handler may destroy the channel
  Outbox<wire::ExecFrame> outbox_;
  bool open_ = false;       // gRPC takes writes
  bool finishing_ = false;  // no operation may follow
  CompletionThread thread_;
};

std::unique_ptr<ExecChannel> open_exec(Loop& loop, const std::string& who,
                                       const std::shared_ptr<grpc::Channel>& channel, const ExecStart& start);

}  // namespace muster
