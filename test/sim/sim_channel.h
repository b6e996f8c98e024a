// In-memory links between agents and a coordinator: ordered, delayed, and cut whenever a test likes. What is under way when a link closes is lost, as
// the port allows; each end learns of it on its own, so one may have dialled anew before the other knows.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <utility>

#include "core/port/agent_channel.h"
#include "core/port/loop.h"

namespace muster::sim {

// One end's handlers and what it is told. Shared by the two ends, so that either may be destroyed first.
template <typename In>
struct SimInbox {
  bool open = true;  // takes messages; closed by the cut or by the end's destruction
  std::function<void(const In&)> on_message;
  std::function<void(const Status&)> on_closed;
};

class SimLink;

template <typename Out, typename In>
class SimEnd final : public Channel<Out, In> {
 public:
  SimEnd(std::shared_ptr<SimLink> link, std::shared_ptr<SimInbox<In>> own, std::shared_ptr<SimInbox<Out>> peer)
      : link_(std::move(link)),
        own_(std::move(own)),
        peer_(std::move(peer)) {}
  ~SimEnd() override;

  void send(const Out& message) override;
  void listen(std::function<void(const In&)> on_message, std::function<void(const Status&)> on_closed) override {
    own_->on_message = std::move(on_message);
    own_->on_closed = std::move(on_closed);
  }

 private:
  std::shared_ptr<SimLink> link_;
  std::shared_ptr<SimInbox<In>> own_;
  std::shared_ptr<SimInbox<Out>> peer_;
};

class SimLink : public std::enable_shared_from_this<SimLink> {
 public:
  using Delay = std::function<Duration()>;

  SimLink(Loop& loop, Delay delay) : loop_(loop), delay_(std::move(delay)) {}

  using AgentEnd = SimEnd<AgentMessage, CoordinatorMessage>;
  using CoordinatorEnd = SimEnd<CoordinatorMessage, AgentMessage>;

  std::unique_ptr<ChannelToCoordinator> agent_end() {
    return std::make_unique<AgentEnd>(shared_from_this(), to_agent_, to_coordinator_);
  }
  std::unique_ptr<ChannelToAgent> coordinator_end() {
    return std::make_unique<CoordinatorEnd>(shared_from_this(), to_coordinator_, to_agent_);
  }

  // Both ends are told, each after a delay of its own.
  void cut() {
    lost_ |= whole_;
    end();
  }
  // As when an end's process dies: what the kernel has taken still arrives.
  void end() {
    if (!std::exchange(whole_, false)) return;
    close(to_agent_, last_[0]);
    close(to_coordinator_, last_[1]);
  }
  bool whole() const { return whole_; }

  template <typename Message>
  void deliver(const std::shared_ptr<SimInbox<Message>>& to, const Message& message) {
    TimePoint& last = last_[std::is_same_v<Message, AgentMessage>];
    last = std::max(last, loop_.now() + delay_());
    loop_.at(last, [self = shared_from_this(), to, message] {
      if (self->lost_ || !to->open) return;
      // Copied: what it does may replace or destroy it.
      if (const auto handler = to->on_message) handler(message);
    });
  }

 private:
  template <typename Message>
  void close(const std::shared_ptr<SimInbox<Message>>& end, TimePoint not_before) {
    loop_.at(std::max(not_before, loop_.now() + delay_()), [end] {
      if (!std::exchange(end->open, false)) return;
      if (const auto handler = std::exchange(end->on_closed, nullptr)) handler(Status(Code::unavailable, "cut"));
    });
  }

  Loop& loop_;
  Delay delay_;
  bool whole_ = true;
  bool lost_ = false;
  std::array<TimePoint, 2> last_{};  // a message does not overtake another
  std::shared_ptr<SimInbox<CoordinatorMessage>> to_agent_ = std::make_shared<SimInbox<CoordinatorMessage>>();
  std::shared_ptr<SimInbox<AgentMessage>> to_coordinator_ = std::make_shared<SimInbox<AgentMessage>>();
};

template <typename Out, typename In>
SimEnd<Out, In>::~SimEnd() {
  own_->open = false;
  own_->on_message = nullptr;
  own_->on_closed = nullptr;
  link_->cut();
}

template <typename Out, typename In>
void SimEnd<Out, In>::send(const Out& message) {
  if (own_->open && link_->whole()) link_->deliver(peer_, message);
}

}  // namespace muster::sim
