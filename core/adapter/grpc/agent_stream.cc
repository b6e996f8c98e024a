#include "core/adapter/grpc/agent_stream.h"

#include <utility>

#include "core/adapter/grpc/convert.h"
#include "core/adapter/grpc/settings.h"

namespace muster {
namespace {

constexpr Duration kDialPatience = std::chrono::seconds(10);

}  // namespace

AgentStream::AgentStream(Loop& loop, const std::string& socket_path)
    : who_("the coordinator at " + socket_path),
      gate_(loop),
      channel_(local_channel(socket_path)),
      stub_(wire::AgentLink::NewStub(channel_)) {}

void AgentStream::start(std::function<void(const Status&)> on_open) {
  on_open_ = std::move(on_open);
  const std::weak_ptr<AgentStream> self = weak_from_this();
  deadline_ = gate_.loop().at(gate_.loop().now() + kDialPatience, [self, who = who_] {
    if (const auto stream = self.lock()) stream->give_up(Status(Code::unavailable, who + " does not answer"));
  });
  stub_->async()->Connect(&context_, this);
  AddHold();
  StartCall();
}

void AgentStream::OnReadInitialMetadataDone(bool ok) {
  gate_.post([self = shared_from_this(), ok] { ok ? self->opened() : self->let_go(); });
}

void AgentStream::OnReadDone(bool ok) {
  const auto self = shared_from_this();
  if (!ok) return gate_.post([self] { self->let_go(); });
  Status trouble;
  CoordinatorMessage message = from_wire(incoming_, trouble);
  if (trouble.code() == Code::unimplemented) return gate_.post([self] { self->read_next(); });
  if (!trouble.ok()) return gate_.post([self, trouble] { self->give_up(trouble); });
  gate_.post([self, message = std::move(message)] { self->received(message); });
}

void AgentStream::OnWriteDone(bool ok) {
  gate_.post([self = shared_from_this(), ok] { self->wrote(ok); });
}

void AgentStream::OnDone(const grpc::Status& status) {
  const auto signal = done_with_us_.signal();
  gate_.post([self = shared_from_this(), own = status_from(status, false, who_)] { self->ended(own); });
  signal->set_value();
}

void AgentStream::opened() {
  gate_.loop().cancel(std::exchange(deadline_, 0));
  if (!holding_) return;
  if (const auto on_open = std::exchange(on_open_, nullptr)) on_open(Status());
  read_next();
}

void AgentStream::read_next() {
  if (holding_) StartRead(&incoming_);
}

void AgentStream::received(const CoordinatorMessage& message) {
  if (const auto handlers = handlers_; handlers && handlers->on_message) handlers->on_message(message);
  read_next();
}

void AgentStream::send(const AgentMessage& message) {
  if (!holding_) return;
  outbox_.push(to_wire(message));
  if (outbox_.bytes() <= kMaxLinkQueueBytes) return pump();
  give_up(Status(Code::resource_exhausted, who_ + " takes nothing: 64 MiB wait for it"));
}

void AgentStream::wrote(bool ok) {
  outbox_.written();
  if (ok) pump();  // else the read fails too, and says so
}

void AgentStream::pump() {
  if (!holding_) return;
  if (const wire::FromAgent* message = outbox_.next()) StartWrite(message);
}

void AgentStream::listen(std::function<void(const CoordinatorMessage&)> on_message,
                         std::function<void(const Status&)> on_closed) {
  handlers_ = std::make_shared<Handlers>(Handlers{std::move(on_message), std::move(on_closed)});
}

void AgentStream::give_up(const Status& status) {
  if (!holding_) return;
  verdict_ = status;
  context_.TryCancel();
  let_go();
}

void AgentStream::let_go() {
  if (std::exchange(holding_, false)) RemoveHold();
}

void AgentStream::ended(const Status& status) {
  gate_.loop().cancel(std::exchange(deadline_, 0));
  const Status closed = status.ok() ? Status(Code::unavailable, who_ + " closed the link") : status;
  const Status& why = verdict_.ok() ? closed : verdict_;
  const auto on_open = std::exchange(on_open_, nullptr);
  const auto handlers = std::exchange(handlers_, nullptr);
  if (on_open) return on_open(why);
  if (handlers && handlers->on_closed) handlers->on_closed(why);
}

void AgentStream::close() {
  gate_.close();
  gate_.loop().cancel(std::exchange(deadline_, 0));
  on_open_ = nullptr;
  handlers_.reset();
  if (holding_) context_.TryCancel();
  let_go();
  done_with_us_.wait();
}

}  // namespace muster
