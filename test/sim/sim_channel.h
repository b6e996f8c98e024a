// SPDX-License-Identifier: Apache-2.0
// In-memory links between agents and a coordinator: ordered, delayed, and cut by tests. Messages in flight are lost when a link
// closes, as the port allows. Each end is told separately, so one may have reconnected before the other knows.
//
// These links are worse than the port's contract: repeated levels (Report, DesiredState, Dismiss) may also be lost, doubled or
// overtaken. Hello, Bind and calls of workers keep their order, because their receivers rely on it
// (core/port/agent_channel.h).
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "core/port/agent_channel.h"
#include "test/sim/sim_host.h"

namespace muster::sim {

// The current conditions of the connection between two hosts.
class LinkConditions {
 public:
  virtual ~LinkConditions() = default;
  virtual Duration delay() = 0;
  // While blocked, messages wait, because a stream sends them again.
  virtual bool blocked(bool to_coordinator) const = 0;
  enum class Fate { arrives, lost, doubled, overtaken };
  virtual Fate fate_of_level() = 0;
  virtual Duration lag() = 0;  // extra delay of a message that is overtaken or doubled
};

// The handlers and messages of one end. Both ends share it, so that either may be destroyed first.
template <typename In>
struct SimInbox {
  explicit SimInbox(std::shared_ptr<HostLoop> of) : loop(std::move(of)) {}
  std::shared_ptr<HostLoop> loop;
  bool open = true;  // takes messages; closed by the cut or by the end's destruction
  std::function<void(const In&)> on_message;
  std::function<void(const Status&)> on_closed;
  std::deque<In> held;  // while the connection is blocked
};

inline bool is_level(const AgentMessage& message) { return std::holds_alternative<Report>(message); }
inline bool is_level(const CoordinatorMessage& message) {
  return std::holds_alternative<DesiredState>(message) || std::holds_alternative<Dismiss>(message);
}

// core/wire ends the link with a message that it cannot read: a report has no value for a rank that waits.
inline bool fits_the_wire(const AgentMessage& message) {
  const auto* hello = std::get_if<Hello>(&message);
  const Report* report = hello != nullptr ? &hello->report : std::get_if<Report>(&message);
  return report == nullptr || std::none_of(report->ranks.begin(), report->ranks.end(),
                                           [](const RankReport& rank) { return rank.phase == RankPhase::waiting; });
}
inline bool fits_the_wire(const CoordinatorMessage&) { return true; }

class SimLink : public std::enable_shared_from_this<SimLink> {
 public:
  SimLink(SimLoop& loop, LinkConditions& conditions, std::shared_ptr<HostLoop> agent,
          std::shared_ptr<HostLoop> coordinator)
      : loop_(loop),
        conditions_(conditions),
        to_agent_(std::make_shared<SimInbox<CoordinatorMessage>>(std::move(agent))),
        to_coordinator_(std::make_shared<SimInbox<AgentMessage>>(std::move(coordinator))) {}

  std::unique_ptr<ChannelToCoordinator> agent_end();
  std::unique_ptr<ChannelToAgent> coordinator_end();

  // Tells both ends, each after its own delay. Messages in flight are lost.
  void cut() {
    lost_ |= whole_;
    end();
  }
  // As when the process of an end dies: messages that the kernel has accepted still arrive.
  void end() {
    if (!std::exchange(whole_, false)) return;
    close(to_agent_, last_[0]);
    close(to_coordinator_, last_[1]);
  }
  // One end gives up; the other is not told.
  void give_up(bool coordinator) { coordinator ? close(to_coordinator_, loop_.now()) : close(to_agent_, loop_.now()); }
  // The machine of an end lost its power: no end is told.
  void vanish() {
    whole_ = false;
    lost_ = true;
  }
  // The connection is no longer blocked.
  void flow() {
    flush(to_agent_);
    flush(to_coordinator_);
  }
  bool whole() const { return whole_; }

  template <typename Message>
  void deliver(const std::shared_ptr<SimInbox<Message>>& to, const Message& message) {
    const auto fate = is_level(message) ? conditions_.fate_of_level() : LinkConditions::Fate::arrives;
    if (fate == LinkConditions::Fate::lost) return;
    TimePoint& last = last_[kToCoordinator<Message>];
    const TimePoint when = loop_.now() + conditions_.delay();
    if (fate == LinkConditions::Fate::overtaken) return arrive(to, message, when + conditions_.lag());
    last = std::max(last, when);
    arrive(to, message, last);
    if (fate == LinkConditions::Fate::doubled) arrive(to, message, last + conditions_.lag());
  }

 private:
  template <typename Message>
  static constexpr bool kToCoordinator = std::is_same_v<Message, AgentMessage>;

  template <typename Message>
  void arrive(const std::shared_ptr<SimInbox<Message>>& to, const Message& message, TimePoint when) {
    to->loop->at_true(when, [self = shared_from_this(), to, message] {
      if (self->lost_ || !to->open) return;
      if (!to->held.empty() || self->conditions_.blocked(kToCoordinator<Message>)) return to->held.push_back(message);
      // Copied, because the handler may replace or destroy itself.
      if (const auto handler = to->on_message) handler(message);
    });
  }

  template <typename Message>
  void flush(const std::shared_ptr<SimInbox<Message>>& to) {
    if (to->held.empty()) return;
    to->loop->at_true(loop_.now() + conditions_.delay(), [self = shared_from_this(), to] {
      if (to->held.empty() || self->conditions_.blocked(kToCoordinator<Message>)) return;
      const Message message = std::move(to->held.front());
      to->held.pop_front();
      self->flush(to);
      if (self->lost_ || !to->open) return;
      if (const auto handler = to->on_message) handler(message);
    });
  }

  template <typename Message>
  void close(const std::shared_ptr<SimInbox<Message>>& end, TimePoint not_before) {
    end->loop->at_true(std::max(not_before, loop_.now() + conditions_.delay()), [end] {
      if (!std::exchange(end->open, false)) return;
      if (const auto handler = std::exchange(end->on_closed, nullptr)) handler(Status(Code::unavailable, "cut"));
    });
  }

  SimLoop& loop_;
  LinkConditions& conditions_;
  bool whole_ = true;
  bool lost_ = false;
  std::array<TimePoint, 2> last_{};  // keeps messages in order
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
    if (!fits_the_wire(message)) return link_->cut();
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
