#include "core/adapter/grpc/served_agent.h"

#include <string>
#include <utility>
#include <variant>

#include "core/adapter/grpc/convert.h"
#include "core/adapter/grpc/settings.h"

namespace muster {
namespace {

constexpr Duration kHelloPatience = std::chrono::seconds(10);
constexpr Duration kFlushPatience = std::chrono::seconds(5);

const Status kLeft(Code::unavailable, "the agent closed the link");
const Status kEnding(Code::unavailable, "the coordinator's process is ending");

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
  return Status(Code::failed_precondition,
                "the agent on " + hello.host + " speaks protocol " + std::to_string(hello.protocol) +
                    ", this coordinator speaks " + std::to_string(kAgentProtocol) +
                    ": use the same muster on both sides");
}

}  // namespace

ServedAgent::Reactor* ServedAgent::serve(LiveCalls& calls, AgentArrival on_agent) {
  const auto agent = std::make_shared<ServedAgent>(calls, std::move(on_agent));
  if (calls.add(agent)) {
    calls.post([agent] { agent->begin(); });
    return agent.get();
  }
  struct Refusal final : Reactor {
    void OnDone() override { delete this; }
  };
  auto* refusal = new Refusal;
  refusal->Finish(grpc_status(kEnding));
  return refusal;
}

void ServedAgent::begin() {
  if (finished_) return;
  const std::weak_ptr<ServedAgent> self = weak_from_this();
  deadline_ = calls_.loop().at(calls_.loop().now() + kHelloPatience, [self] {
    const Status late(Code::deadline_exceeded, "no hello came");
    if (const auto agent = self.lock()) agent->close(late, late);
  });
  // The agent learns that somebody is there.
  StartSendInitialMetadata();
  read_next();
}

void ServedAgent::OnReadDone(bool ok) {
  const auto self = shared_from_this();
  if (!ok) return calls_.post([self] { self->close(Status(), kLeft); });
  Status trouble;
  AgentMessage message = from_wire(incoming_, trouble);
  if (trouble.code() == Code::unimplemented) return calls_.post([self] { self->read_next(); });
  if (!trouble.ok()) return calls_.post([self, trouble] { self->close(trouble, trouble); });
  calls_.post([self, message = std::move(message)] { self->received(message); });
}

void ServedAgent::OnWriteDone(bool ok) {
  calls_.post([self = shared_from_this(), ok] { self->wrote(ok); });
}

void ServedAgent::OnCancel() {
  calls_.post([self = shared_from_this()] { self->close(Status(), kLeft); });
}

void ServedAgent::received(const AgentMessage& message) {
  if (finished_) return;
  if (on_agent_) {
    const Status stranger(Code::invalid_argument, "the first message of an agent is its hello");
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
  on_agent({std::make_unique<GrpcChannelToAgent>(shared_from_this()), hello});
}

void ServedAgent::read_next() {
  if (!finished_) StartRead(&incoming_);
}

void ServedAgent::send(const CoordinatorMessage& message) {
  if (finished_ || leaving_) return;
  outbox_.push(to_wire(message));
  if (outbox_.bytes() <= kMaxLinkQueueBytes) return pump();
  const Status stuck(Code::resource_exhausted, "the agent takes nothing: 64 MiB wait for it");
  // Later, since a caller of send() does not expect its own on_closed.
  calls_.loop().post([self = shared_from_this(), stuck] { self->close(stuck, stuck); });
}

void ServedAgent::wrote(bool ok) {
  outbox_.written();
  if (!ok) return close(Status(), kLeft);
  pump();
}

void ServedAgent::pump() {
  if (finished_) return;
  if (const wire::ToAgent* message = outbox_.next()) return StartWrite(message);
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
  const std::weak_ptr<ServedAgent> self = weak_from_this();
  deadline_ = calls_.loop().at(calls_.loop().now() + kFlushPatience, [self] {
    if (const auto agent = self.lock()) agent->close(Status(), kLeft);
  });
  pump();
}

void ServedAgent::close(const Status& to_agent, const Status& to_us) {
  if (std::exchange(finished_, true)) return;
  calls_.loop().cancel(std::exchange(deadline_, 0));
  on_agent_ = nullptr;
  Finish(grpc_status(to_agent));
  // Handlers hold what belongs to the loop thread: they end here, never in gRPC's OnDone.
  const auto handlers = std::exchange(handlers_, nullptr);
  if (handlers && handlers->on_closed) handlers->on_closed(to_us);
}

void ServedAgent::abandon() {
  if (finished_) return;
  // In a turn of its own: the server is being destroyed around us.
  const auto handlers = std::exchange(handlers_, nullptr);
  close(kEnding, kEnding);
  if (!handlers || !handlers->on_closed) return;
  calls_.loop().post([handlers] { handlers->on_closed(kEnding); });
}

}  // namespace muster
