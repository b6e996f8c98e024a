// In-memory links between agents and a coordinator: ordered, delayed, and cut whenever a test likes. What is under way
// when a link closes is lost, as the port allows; each end learns of it on its own, so one may have dialled anew before
// the other knows.
//
// Harder than the port's contract: the levels (Report, DesiredState, Dismiss), which are repeated, may also be lost, doubled or
// overtaken one by one. Hello, Bind and what workers ask keep the order of a stream, for their receivers rely on it
// (core/port/agent_channel.h).
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "core/port/agent_channel.h"
#include "test/sim/sim_host.h"

namespace muster::sim {

// The way between two hosts as it is right now.
class LinkWeather {
 public:
  virtual ~LinkWeather() = default;
  virtual Duration delay() = 0;
  // What arrives meanwhile waits, as a stream resends it.
  virtual bool blocked(bool to_coordinator) const = 0;
  enum class Fate { arrives, lost, doubled, overtaken };
  virtual Fate fate_of_level() = 0;
  virtual Duration lag() = 0;  // of one that is overtaken, or comes again
};

// One end's handlers and what it is told. Shared by the two ends, so that either may be destroyed first.
template <typename In>
struct SimInbox {
  explicit SimInbox(std::shared_ptr<HostLoop> of) : loop(std::move(of)) {}
  std::shared_ptr<HostLoop> loop;
  bool open = true;  // takes messages; closed by the cut or by the end's destruction
  std::function<void(const In&)> on_message;
  std::function<void(const Status&)> on_closed;
  std::deque<In> held;  // by a blocked way
};

inline bool is_level(const AgentMessage& message) { return std::holds_alternative<Report>(message); }
inline bool is_level(const CoordinatorMessage& message) {
  return std::holds_alternative<DesiredState>(message) || std::holds_alternative<Dismiss>(message);
}

class SimLink : public std::enable_shared_from_this<SimLink> {
 public:
  SimLink(SimLoop& loop, LinkWeather& weather, std::shared_ptr<HostLoop> agent, std::shared_ptr<HostLoop> coordinator)
      : loop_(loop),
        weather_(weather),
        to_agent_(std::make_shared<SimInbox<CoordinatorMessage>>(std::move(agent))),
        to_coordinator_(std::make_shared<SimInbox<AgentMessage>>(std::move(coordinator))) {}

  std::unique_ptr<ChannelToCoordinator> agent_end();
  std::unique_ptr<ChannelToAgent> coordinator_end();

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
  // One end gives up alone; the other learns nothing of it.
  void give_up(bool coordinator) { coordinator ? close(to_coordinator_, loop_.now()) : close(to_agent_, loop_.now()); }
  // An end's machine lost its power: nobody says so.
  void vanish() {
    whole_ = false;
    lost_ = true;
  }
  // The way is free again.
  void flow() {
    flush(to_agent_);
    flush(to_coordinator_);
  }
  bool whole() const { return whole_; }

  template <typename Message>
  void deliver(const std::shared_ptr<SimInbox<Message>>& to, const Message& message) {
    const auto fate = is_level(message) ? weather_.fate_of_level() : LinkWeather::Fate::arrives;
    if (fate == LinkWeather::Fate::lost) return;
    TimePoint& last = last_[kToCoordinator<Message>];
    const TimePoint when = loop_.now() + weather_.delay();
    if (fate == LinkWeather::Fate::overtaken) return arrive(to, message, when + weather_.lag());
    last = std::max(last, when);
    arrive(to, message, last);
    if (fate == LinkWeather::Fate::doubled) arrive(to, message, last + weather_.lag());
  }

 private:
  template <typename Message>
  static constexpr bool kToCoordinator = std::is_same_v<Message, AgentMessage>;

  template <typename Message>
  void arrive(const std::shared_ptr<SimInbox<Message>>& to, const Message& message, TimePoint when) {
    to->loop->at_true(when, [self = shared_from_this(), to, message] {
      if (self->lost_ || !to->open) return;
      if (!to->held.empty() || self->weather_.blocked(kToCoordinator<Message>)) return to->held.push_back(message);
      // Copied: what it does may replace or destroy it.
      if (const auto handler = to->on_message) handler(message);
    });
  }

  template <typename Message>
  void flush(const std::shared_ptr<SimInbox<Message>>& to) {
    if (to->held.empty()) return;
    to->loop->at_true(loop_.now() + weather_.delay(), [self = shared_from_this(), to] {
      if (to->held.empty() || self->weather_.blocked(kToCoordinator<Message>)) return;
      const Message message = std::move(to->held.front());
      to->held.pop_front();
      self->flush(to);
      if (self->lost_ || !to->open) return;
      if (const auto handler = to->on_message) handler(message);
    });
  }

  template <typename Message>
  void close(const std::shared_ptr<SimInbox<Message>>& end, TimePoint not_before) {
    end->loop->at_true(std::max(not_before, loop_.now() + weather_.delay()), [end] {
      if (!std::exchange(end->open, false)) return;
      if (const auto handler = std::exchange(end->on_closed, nullptr)) handler(Status(Code::unavailable, "cut"));
    });
  }

  SimLoop& loop_;
  LinkWeather& weather_;
  bool whole_ = true;
  bool lost_ = false;
  std::array<TimePoint, 2> last_{};  // a message does not overtake another
  std::shared_ptr<SimInbox<CoordinatorMessage>> to_agent_;
  std::shared_ptr<SimInbox<AgentMessage>> to_coordinator_;
};

template <typename Out, typename In>
class SimEnd final : public Channel<Out, In> {
 public:
  SimEnd(std::shared_ptr<SimLink> link, std::shared_ptr<SimInbox<In>> own, std::shared_ptr<SimInbox<Out>> peer)
      : link_(std::move(link)),
        own_(std::move(own)),
        peer_(std::move(peer)) {}
  ~SimEnd() override {
    own_->open = false;
    own_->on_message = nullptr;
    own_->on_closed = nullptr;
    link_->cut();
  }

  void send(const Out& message) override {
    if (own_->open && link_->whole()) link_->deliver(peer_, message);
  }
  void listen(std::function<void(const In&)> on_message, std::function<void(const Status&)> on_closed) override {
    own_->on_message = std::move(on_message);
    own_->on_closed = std::move(on_closed);
  }

 private:
  std::shared_ptr<SimLink> link_;
  std::shared_ptr<SimInbox<In>> own_;
  std::shared_ptr<SimInbox<Out>> peer_;
};

inline std::unique_ptr<ChannelToCoordinator> SimLink::agent_end() {
  return std::make_unique<SimEnd<AgentMessage, CoordinatorMessage>>(shared_from_this(), to_agent_, to_coordinator_);
}
inline std::unique_ptr<ChannelToAgent> SimLink::coordinator_end() {
  return std::make_unique<SimEnd<CoordinatorMessage, AgentMessage>>(shared_from_this(), to_coordinator_, to_agent_);
}

}  // namespace muster::sim
