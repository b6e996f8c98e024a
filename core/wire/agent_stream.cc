// SPDX-License-Identifier: Apache-2.0
#include "core/wire/agent_stream.h"

#include <utility>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

constexpr Duration kDialPatience = std::chrono::seconds(10);

SendPriority priority_of(const AgentMessage& message) {
  const bool bulk = std::holds_alternative<ExecFrame>(message) || std::holds_alternative<PeerExec>(message) ||
                    std::holds_alternative<OutputBytes>(message);
  return bulk ? SendPriority::bulk : SendPriority::usual;
}

}  // namespace

AgentStream::AgentStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel)
    : who_(std::move(who)),
      channel_(std::move(channel)),
      stub_(wire::AgentLink::NewStub(channel_)),
      own_(std::make_unique<CompletionThread>(loop, std::make_unique<grpc::CompletionQueue>())),
      thread_(*own_) {}

AgentStream::AgentStream(CompletionThread& shared, std::string who, std::shared_ptr<grpc::Channel> channel)
    : who_(std::move(who)),
      channel_(std::move(channel)),
      stub_(wire::AgentLink::NewStub(channel_)),
      thread_(shared) {}

void* AgentStream::tag(std::function<void(bool ok)> then) {
  return CompletionThread::tag([self = shared_from_this(), then = std::move(then)](bool ok) {
    if (!self->closed_) then(ok);
  });
}

void AgentStream::start(std::function<void(const Status&)> on_open) {
  on_open_ = std::move(on_open);
  deadline_ = thread_.loop().at(thread_.loop().now() + kDialPatience, [weak = weak_from_this()] {
    const auto stream = weak.lock();
    if (stream) stream->give_up(Status(Code::unavailable, stream->who_ + " does not answer"));
  });
  stream_ = stub_->PrepareAsyncConnect(&context_, thread_.queue());
  // The first write must wait for this operation: gRPC starts the call with it.
  stream_->StartCall(tag([this](bool) { started(); }));
}

void AgentStream::started() {
  if (!finishing_) stream_->ReadInitialMetadata(tag([this](bool ok) { ok ? opened() : finish(); }));
}

void AgentStream::opened() {
  thread_.loop().cancel(std::exchange(deadline_, 0));
  if (finishing_) return;
  if (const auto on_open = std::exchange(on_open_, nullptr)) on_open(Status());
  read_next();
}

void AgentStream::read_next() {
  if (!finishing_) stream_->Read(&incoming_, tag([this](bool ok) { read(ok); }));
}

void AgentStream::read(bool ok) {
  if (finishing_) return;
  if (!ok) return finish();
  Status trouble;
  const CoordinatorMessage message = from_wire(incoming_, trouble);
  if (!trouble.ok() && trouble.code() != Code::unimplemented) return give_up(trouble);
  const auto handlers = handlers_;
  if (trouble.ok() && handlers && handlers->on_message) handlers->on_message(message);
  read_next();
}

void AgentStream::send(const AgentMessage& message) {
  if (finishing_) return;
  outbox_.push(to_wire(message), priority_of(message));
  if (outbox_.bytes() <= kMaxLinkQueueBytes) return pump();
  give_up(Status(Code::resource_exhausted, who_ + " does not read: 64 MiB are queued for it"));
}

void AgentStream::pump() {
  if (finishing_) return;
  if (const wire::FromAgent* message = outbox_.next()) {
    stream_->Write(*message, tag([this](bool ok) { wrote(ok); }));
  }
}

void AgentStream::wrote(bool ok) {
  outbox_.written();
  if (ok) pump();  // otherwise the read fails too, and reports why
}

void AgentStream::listen(std::function<void(const CoordinatorMessage&)> on_message,
                         std::function<void(const Status&)> on_closed) {
  handlers_ = std::make_shared<Handlers>(Handlers{std::move(on_message), std::move(on_closed)});
}

void AgentStream::give_up(const Status& status) {
  if (finishing_) return;
  verdict_ = status;
  context_.TryCancel();
  finish();
}

void AgentStream::finish() {
  if (std::exchange(finishing_, true)) return;
  stream_->Finish(&grpc_status_, tag([this](bool) { ended(); }));
}

void AgentStream::ended() {
  thread_.loop().cancel(std::exchange(deadline_, 0));
  const Status status = status_from(grpc_status_, false, who_);
  const Status closed = status.ok() ? Status(Code::unavailable, who_ + " closed the link") : status;
  const Status& why = verdict_.ok() ? closed : verdict_;
  const auto on_open = std::exchange(on_open_, nullptr);
  const auto handlers = std::exchange(handlers_, nullptr);
  if (on_open) return on_open(why);
  if (handlers && handlers->on_closed) handlers->on_closed(why);
}

void AgentStream::close() {
  if (own_) own_->silence();
  closed_ = true;
  thread_.loop().cancel(std::exchange(deadline_, 0));
  on_open_ = nullptr;
  handlers_.reset();
  finishing_ = true;
  context_.TryCancel();
  if (own_) own_->join();
}

}  // namespace muster
