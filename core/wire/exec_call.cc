// SPDX-License-Identifier: Apache-2.0
#include "core/wire/exec_call.h"

#include <utility>
#include <variant>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

constexpr size_t kMostForViewer = 4 << 20;  // the windows of both streams, and some more

const Status kViewerLeft(Code::cancelled, "the client has disconnected");
const Status kViewerEnding(Code::unavailable, "muster's process is shutting down");

class ServedExec final : public ExecChannel {
 public:
  explicit ServedExec(std::shared_ptr<ExecCall> call) : call_(std::move(call)) {}
  ~ServedExec() override { call_->let_go(); }
  void send(const ExecFrame& frame) override { call_->send(frame); }
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed) override {
    call_->listen(std::move(on_message), std::move(on_closed));
  }

 private:
  std::shared_ptr<ExecCall> call_;
};

}  // namespace

void ExecCall::accept(LiveCalls& calls, const Request& request, const Begin& begin) {
  const auto call = std::make_shared<ExecCall>(calls, request, begin);
  calls.add(call);
  ExecCall& self = *call;
  request(&self.grpc_->context, &self.grpc_->stream, calls.queue(),
          self.arrival_tag([&self](bool ok) { self.arrived(ok); }));
}

void ExecCall::arrived(bool ok) {
  if (!ok) return;
  accept(calls_, request_, begin_);
  grpc_->context.AddTrailingMetadata(kOwnStatus, "1");
  read_next();
}

void ExecCall::read_next() {
  if (!finished_) grpc_->stream.Read(&grpc_->incoming, tag([this](bool ok) { read(ok); }));
}

void ExecCall::read(bool ok) {
  if (finished_) return;
  if (!ok) return close(kViewerLeft, kViewerLeft);
  Status trouble;
  const ExecFrame frame = from_wire(grpc_->incoming, trouble);
  if (trouble.ok()) return received(frame);
  if (trouble.code() == Code::unimplemented) return read_next();
  close(trouble, trouble);
}

void ExecCall::received(const ExecFrame& frame) {
  if (!begun_) {
    begin(frame);
  } else if (const auto handlers = handlers_; handlers && handlers->on_message) {
    handlers->on_message(frame);
  }
  read_next();
}

void ExecCall::begin(const ExecFrame& first) {
  const ExecStart* start = std::get_if<ExecStart>(&first.part);
  const Status stranger(Code::invalid_argument, "the first frame of a client must be ExecStart");
  if (start == nullptr) return close(stranger, stranger);
  begun_ = true;
  begin_(*start, std::make_unique<ServedExec>(std::static_pointer_cast<ExecCall>(shared_from_this())));
}

void ExecCall::send(const ExecFrame& frame) {
  if (finished_ || leaving_) return;
  outbox_.push(to_wire(frame));
  const Status stuck(Code::resource_exhausted, "the client acknowledges bytes that it does not read");
  if (outbox_.bytes() > kMostForViewer) return close(stuck, stuck);
  pump();
}

void ExecCall::wrote(bool ok) {
  outbox_.written();
  if (!ok) return close(kViewerLeft, kViewerLeft);
  pump();
}

void ExecCall::pump() {
  if (finished_) return;
  if (const wire::ExecFrame* message = outbox_.next()) {
    return grpc_->stream.Write(*message, tag([this](bool ok) { wrote(ok); }));
  }
  if (leaving_ && outbox_.empty()) close(Status(), kViewerLeft);
}

void ExecCall::listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed) {
  if (finished_) return;
  handlers_ = std::make_shared<Handlers>(Handlers{std::move(on_message), std::move(on_closed)});
}

void ExecCall::let_go() {
  handlers_.reset();
  leaving_ = true;
  pump();
}

void ExecCall::close(const Status& to_viewer, const Status& to_us) {
  if (std::exchange(finished_, true)) return;
  grpc_->stream.Finish(grpc_status(to_viewer), tag([](bool) {}));
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers && handlers->on_closed) handlers->on_closed(to_us);
}

void ExecCall::abandon() {
  if (!arrived_ || finished_) return;
  // In a later turn of the loop: the server is being destroyed now.
  const auto handlers = std::exchange(handlers_, nullptr);
  close(kViewerEnding, kViewerEnding);
  if (handlers && handlers->on_closed) calls_.loop().post([handlers] { handlers->on_closed(kViewerEnding); });
}

}  // namespace muster
