#include "core/adapter/grpc/follow_stream.h"

#include <utility>

#include "core/adapter/grpc/convert.h"
#include "core/adapter/grpc/settings.h"

namespace muster {

FollowStream::FollowStream(Loop& loop, std::string who, std::shared_ptr<grpc::Channel> channel, Handlers handlers)
    : who_(std::move(who)),
      gate_(loop),
      channel_(std::move(channel)),
      stub_(wire::Control::NewStub(channel_)),
      handlers_(std::make_shared<Handlers>(std::move(handlers))) {}

void FollowStream::start(const FollowRequest& request) {
  request_ = to_wire(request);
  stub_->async()->Follow(&context_, &request_, this);
  AddHold();
  StartRead(&incoming_);
  StartCall();
}

void FollowStream::OnReadDone(bool ok) {
  const auto self = shared_from_this();
  if (!ok) return gate_.post([self] { self->let_go(); });
  Status trouble;
  if (incoming_.has_end()) {
    const Status status = from_wire(incoming_.end(), trouble);
    return gate_.post([self, status] { self->received_end(status); });
  }
  FollowItem item = from_wire(incoming_, trouble);
  if (trouble.code() == Code::unimplemented) return gate_.post([self] { self->read_next(); });
  if (!trouble.ok()) return gate_.post([self, trouble] { self->give_up(trouble); });
  gate_.post([self, item = std::move(item)] { self->received(item); });
}

void FollowStream::OnDone(const grpc::Status& status) {
  const auto signal = done_with_us_.signal();
  const bool own = context_.GetServerTrailingMetadata().count(kOwnStatus) != 0;
  gate_.post([self = shared_from_this(), end = status_from(status, own, who_)] { self->ended(end); });
  signal->set_value();
}

void FollowStream::received(const FollowItem& item) {
  if (const auto handlers = handlers_) handlers->on_item(item);
  read_next();
}

void FollowStream::received_end(const Status& status) {
  verdict_ = status;
  read_next();
}

void FollowStream::read_next() {
  if (holding_) StartRead(&incoming_);
}

void FollowStream::give_up(const Status& status) {
  verdict_ = status;
  if (holding_) context_.TryCancel();
  let_go();
}

void FollowStream::let_go() {
  if (std::exchange(holding_, false)) RemoveHold();
}

void FollowStream::ended(const Status& status) {
  const Status cut = status.ok() ? Status(Code::unavailable, who_ + " ended the stream early") : status;
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers) handlers->on_end(verdict_.value_or(cut));
}

void FollowStream::close() {
  gate_.close();
  handlers_.reset();
  if (holding_) context_.TryCancel();
  let_go();
  done_with_us_.wait();
}

}  // namespace muster
