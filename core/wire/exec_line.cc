// SPDX-License-Identifier: Apache-2.0
#include "core/wire/exec_line.h"

#include <utility>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

class ViewersChannel final : public ExecChannel {
 public:
  explicit ViewersChannel(std::shared_ptr<ExecLine> line) : line_(std::move(line)) {}
  ~ViewersChannel() override { line_->close(); }
  void send(const ExecFrame& frame) override { line_->send(frame); }
  void listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed) override {
    line_->listen(std::move(on_message), std::move(on_closed));
  }

 private:
  std::shared_ptr<ExecLine> line_;
};

}  // namespace

ExecLine::ExecLine(Loop& loop, std::string who, Prepare prepare)
    : who_(std::move(who)),
      prepare_(std::move(prepare)),
      thread_(loop, std::make_unique<grpc::CompletionQueue>()) {}

void* ExecLine::tag(std::function<void(bool ok)> then) {
  return CompletionThread::tag([self = shared_from_this(), then = std::move(then)](bool ok) { then(ok); });
}

void ExecLine::start(const ExecStart& exec) {
  send({0, exec});
  stream_ = prepare_(&context_, thread_.queue());
  // The first write must wait for this operation: gRPC starts the call with it.
  stream_->StartCall(tag([this](bool ok) {
    open_ = ok;
    if (!ok) return finish();
    pump();
    read_next();
  }));
}

void ExecLine::send(const ExecFrame& frame) {
  if (finishing_) return;
  outbox_.push(to_wire(frame));
  pump();
}

void ExecLine::pump() {
  if (finishing_ || !open_) return;
  if (const wire::ExecFrame* message = outbox_.next()) {
    stream_->Write(*message, tag([this](bool ok) { wrote(ok); }));
  }
}

void ExecLine::wrote(bool ok) {
  outbox_.written();
  if (ok) pump();  // otherwise the read fails too, and reports why
}

void ExecLine::read_next() {
  if (!finishing_) stream_->Read(&incoming_, tag([this](bool ok) { read(ok); }));
}

void ExecLine::read(bool ok) {
  if (finishing_) return;
  if (!ok) return finish();
  Status trouble;
  const ExecFrame frame = from_wire(incoming_, trouble);
  const auto handlers = handlers_;
  if (trouble.ok() && handlers && handlers->on_message) handlers->on_message(frame);
  read_next();
}

void ExecLine::listen(std::function<void(const ExecFrame&)> on_message, std::function<void(const Status&)> on_closed) {
  handlers_ = std::make_shared<Handlers>(Handlers{std::move(on_message), std::move(on_closed)});
}

void ExecLine::finish() {
  if (std::exchange(finishing_, true)) return;
  stream_->Finish(&grpc_status_, tag([this](bool) { ended(); }));
}

void ExecLine::ended() {
  const bool own = context_.GetServerTrailingMetadata().count(kOwnStatus) != 0;
  const Status status = status_from(grpc_status_, own, who_);
  const Status cut = status.ok() ? Status(Code::unavailable, who_ + " ended the stream early") : status;
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers && handlers->on_closed) handlers->on_closed(cut);
}

void ExecLine::close() {
  thread_.silence();
  handlers_.reset();
  finishing_ = true;
  context_.TryCancel();
  thread_.join();
}

std::unique_ptr<ExecChannel> open_exec(Loop& loop, const std::string& who, ExecLine::Prepare prepare,
                                       const ExecStart& start) {
  const auto line = std::make_shared<ExecLine>(loop, who, std::move(prepare));
  line->start(start);
  return std::make_unique<ViewersChannel>(line);
}

}  // namespace muster
