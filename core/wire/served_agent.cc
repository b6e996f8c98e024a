// SPDX-License-Identifier: Apache-2.0
#include "core/wire/served_agent.h"

#include <string>
#include <utility>
#include <variant>

#include "core/wire/settings.h"
#include "core/wire/values/convert.h"

namespace muster {
namespace {

constexpr Duration kHelloPatience = std::chrono::seconds(10);
constexpr Duration kFlushPatience = std::chrono::seconds(5);

const Status kLeft(Code::unavailable, "the agent closed the link");
const Status kEnding(Code::unavailable, "the coordinator's process is shutting down");

class GrpcChannelToAgent final : public ChannelToAgent {
 public:
  explicit GrpcChannelToAgent(std::shared_ptr<ServedAgent> agent) : agent_(std::move(agent)) {}
  ~GrpcChannelToAgent() override { agent_->let_go(); }
  void send(const CoordinatorMessage& message) override { agent_->send(message); }
  void listen(std::function<void(const AgentMessage&)> on_message,
              std::function<void(const Status&)> on_closed) override {
    agent_->listen(std::move(on_message), std::move(on_closed));
  }

 private:
  std::shared_ptr<ServedAgent> agent_;
};

Status protocol_refusal(const Hello& hello) {
  return Status(Code::failed_precondition, "the agent on " + hello.host + " speaks protocol " +
                                               std::to_string(hello.protocol) + ", this coordinator speaks " +
                                               std::to_string(kAgentProtocol) + ": use the same muster on both sides");
}

}  // namespace

void ServedAgent::accept(LiveCalls& calls, AgentLinkService& service, AgentArrival on_agent) {
  const auto agent = std::make_shared<ServedAgent>(calls, service, std::move(on_agent));
  calls.add(agent);
  ServedAgent& self = *agent;
  service.RequestConnect(&self.grpc_->context, &self.grpc_->stream, calls.queue(), calls.queue(),
                         self.arrival_tag([&self](bool ok) { self.arrived(ok); }));
}

void ServedAgent::arrived(bool ok) {
  if (!ok) return;
  accept(calls_, service_, on_agent_);
  arm(kHelloPatience, Status(Code::deadline_exceeded, "the agent sent no Hello in time"));
  // The agent then knows that its call has arrived.
  grpc_->stream.SendInitialMetadata(tag([](bool) {}));
  read_next();
}

void ServedAgent::arm(Duration patience, const Status& late) {
  calls_.loop().cancel(deadline_);
  const auto self = std::static_pointer_cast<ServedAgent>(shared_from_this());
  deadline_ = calls_.loop().at(calls_.loop().now() + patience, [weak = std::weak_ptr(self), late] {
    if (const auto agent = weak.lock()) agent->close(late, late);
  });
}

void ServedAgent::read_next() {
  if (!finished_) grpc_->stream.Read(&grpc_->incoming, tag([this](bool ok) { read(ok); }));
}

void ServedAgent::read(bool ok) {
  if (finished_) return;
  if (!ok) return close(Status(), kLeft);
  Status trouble;
  const AgentMessage message = from_wire(grpc_->incoming, trouble);
  grpc_->incoming.Clear();  // frees the memory of the message now, not at the next one
  if (trouble.ok()) return received(message);
  if (trouble.code() == Code::unimplemented) return read_next();
  close(trouble, trouble);
}

void ServedAgent::received(const AgentMessage& message) {
  if (on_agent_) {
    const Status stranger(Code::invalid_argument, "the first message of an agent must be Hello");
    const Hello* hello = std::get_if<Hello>(&message);
    if (hello == nullptr) return close(stranger, stranger);
    meet(*hello);
  } else if (const auto handlers = handlers_; handlers && handlers->on_message) {
    handlers->on_message(message);
  }
  read_next();
}

void ServedAgent::meet(const Hello& hello) {
  if (hello.protocol != kAgentProtocol) return close(protocol_refusal(hello), protocol_refusal(hello));
  calls_.loop().cancel(std::exchange(deadline_, 0));
  const AgentArrival on_agent = std::exchange(on_agent_, nullptr);
  const auto self = std::static_pointer_cast<ServedAgent>(shared_from_this());
  on_agent({std::make_unique<GrpcChannelToAgent>(self), hello, peer_address(grpc_->context.peer())});
}

void ServedAgent::send(const CoordinatorMessage& message) {
  if (finished_ || leaving_) return;
  const bool bulk = std::holds_alternative<ExecFrame>(message) || std::holds_alternative<PeerExec>(message);
  outbox_.push(to_wire(message), bulk ? SendPriority::bulk : SendPriority::usual);
  if (outbox_.bytes() <= kMaxLinkQueueBytes) return pump();
  const Status stuck(Code::resource_exhausted, "the agent does not read: 64 MiB are queued for it");
  // In a later turn of the loop, since a caller of send() does not expect on_closed during the call.
  arm(Duration(0), stuck);
}

void ServedAgent::wrote(bool ok) {
  outbox_.written();
  if (!ok) return close(Status(), kLeft);
  pump();
}

void ServedAgent::pump() {
  if (finished_) return;
  if (const wire::ToAgent* message = outbox_.next()) {
    return grpc_->stream.Write(*message, tag([this](bool ok) { wrote(ok); }));
  }
  if (leaving_ && outbox_.empty()) close(Status(), kLeft);
}

void ServedAgent::listen(std::function<void(const AgentMessage&)> on_message,
                         std::function<void(const Status&)> on_closed) {
  if (finished_) return;
  handlers_ = std::make_shared<Handlers>(Handlers{std::move(on_message), std::move(on_closed)});
}

void ServedAgent::let_go() {
  handlers_.reset();
  leaving_ = true;
  if (finished_) return;
  arm(kFlushPatience, kLeft);
  pump();
}

void ServedAgent::close(const Status& to_agent, const Status& to_us) {
  if (std::exchange(finished_, true)) return;
  calls_.loop().cancel(std::exchange(deadline_, 0));
  on_agent_ = nullptr;
  grpc_->stream.Finish(grpc_status(to_agent), tag([](bool) {}));
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers && handlers->on_closed) handlers->on_closed(to_us);
}

void ServedAgent::abandon() {
  if (!arrived_ || finished_) return;
  // In a later turn of the loop: the server is being destroyed now.
  const auto handlers = std::exchange(handlers_, nullptr);
  close(kEnding, kEnding);
  if (handlers && handlers->on_closed) calls_.loop().post([handlers] { handlers->on_closed(kEnding); });
}

}  // namespace muster
