// SPDX-License-Identifier: Apache-2.0
#include "core/wire/follow_stream.h"

#include <utility>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {

FollowStream::FollowStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel, Handlers handlers)
    : who_(std::move(who)),
      channel_(std::move(channel)),
      stub_(wire::Control::NewStub(channel_)),
      handlers_(std::make_shared<Handlers>(std::move(handlers))),
      thread_(loop, std::make_unique<grpc::CompletionQueue>()) {}

void* FollowStream::tag(std::function<void(bool ok)> then) {
  return CompletionThread::tag([self = shared_from_this(), then = std::move(then)](bool ok) { then(ok); });
}

void FollowStream::start(const FollowRequest& request) {
  stream_ = stub_->PrepareAsyncFollow(&context_, to_wire(request), thread_.queue());
  stream_->StartCall(tag([](bool) {}));
  read_next();
}

void FollowStream::read_next() {
  if (finishing_ || held_ || std::exchange(reading_, true)) return;
  stream_->Read(&incoming_, tag([this](bool ok) { read(ok); }));
}

void FollowStream::hold(bool held) {
  held_ = held;
  read_next();
}

void FollowStream::read(bool ok) {
  reading_ = false;
  if (finishing_) return;
  if (!ok) return finish();
  received();
  if (!finishing_ && verdict_) return end(*verdict_);
  read_next();
}

void FollowStream::received() {
  Status trouble;
  if (incoming_.has_end()) {
    verdict_ = from_wire(incoming_.end(), trouble);
    return;
  }
  const FollowItem item = from_wire(incoming_, trouble);
  const auto handlers = handlers_;
  if (trouble.ok() && handlers) handlers->on_item(item);
  if (!trouble.ok() && trouble.code() != Code::unimplemented) give_up(trouble);
}

// The status of the stream, which comes after the last item, is not needed.
void FollowStream::end(const Status& verdict) {
  finishing_ = true;
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers) handlers->on_end(verdict);
}

void FollowStream::give_up(const Status& status) {
  verdict_ = status;
  context_.TryCancel();
  finish();
}

void FollowStream::finish() {
  if (std::exchange(finishing_, true)) return;
  stream_->Finish(&grpc_status_, tag([this](bool) { ended(); }));
}

void FollowStream::ended() {
  const bool own = context_.GetServerTrailingMetadata().count(kOwnStatus) != 0;
  const Status status = status_from(grpc_status_, own, who_);
  const Status cut = status.ok() ? Status(Code::unavailable, who_ + " ended the stream early") : status;
  end(verdict_.value_or(cut));
}

void FollowStream::close() {
  thread_.silence();
  handlers_.reset();
  finishing_ = true;
  context_.TryCancel();
  thread_.join();
}

}  // namespace muster
