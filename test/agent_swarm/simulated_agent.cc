// SPDX-License-Identifier: Apache-2.0
#include "test/agent_swarm/simulated_agent.h"

#include <utility>

namespace muster::agent_swarm {
namespace {

constexpr uint16_t kPort = 20000;
constexpr Duration kPause = std::chrono::seconds(1);

ExitStatus failed() {
  ExitStatus exit;
  exit.code = 1;
  return exit;
}

ExitStatus stopped(int signal) {
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = signal;
  exit.asked = true;
  return exit;
}

}  // namespace

SimulatedAgent::SimulatedAgent(Loop& loop, std::unique_ptr<CoordinatorDialer> dialer, Incarnation incarnation,
                               const Told& told, std::optional<PodSelf> pod)
    : loop_(loop),
      dialer_(std::move(dialer)),
      incarnation_(incarnation),
      told_(told),
      pod_(std::move(pod)) {
  report_.meeting_port = kPort;
}

void SimulatedAgent::dial() {
  dialer_->dial([this](Result<std::unique_ptr<ChannelToCoordinator>> channel) { dialled(std::move(channel)); });
}

// A thousand TLS handshakes may take longer than an agent waits for its own, so pods connect again.
void SimulatedAgent::lost(const Status& why) {
  if (!pod_) return told_.lost(why.message());
  loop_.at(loop_.now() + kPause, [this] {
    channel_.reset();
    dial();
  });
}

void SimulatedAgent::dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel) {
  if (!channel.ok()) return lost(channel.status());
  channel_ = std::move(*channel);
  channel_->listen([this](const CoordinatorMessage& message) { heard(message); },
                   [this](const Status& status) { lost(status); });
  Hello hello;
  hello.binary_hash = "swarm";
  hello.incarnation = incarnation_;
  hello.host = "host-" + std::to_string(incarnation_);
  hello.job = job_;
  hello.node = node_;
  hello.report = report_;
  hello.pod = pod_;
  send(hello);
}

void SimulatedAgent::heard(const CoordinatorMessage& message) {
  ++messages_;
  if (const auto* bind = std::get_if<Bind>(&message)) {
    job_ = bind->job;
    node_ = bind->node;
  }
  if (const auto* desired = std::get_if<DesiredState>(&message)) obey(*desired);
  const auto* reply = std::get_if<RendezvousReply>(&message);
  if (reply != nullptr && reply->id == asked_ && reply->answer.status.ok()) told_.past(report_.attempt);
}

void SimulatedAgent::obey(const DesiredState& desired) {
  if (desired.run && desired.attempt > report_.attempt && !desired.tasks.empty()) return begin(desired);
  if (!desired.run && desired.attempt == report_.attempt && !report_.quiet) end(stopped(desired.signal));
}

void SimulatedAgent::begin(const DesiredState& desired) {
  RankReport rank;
  rank.index = desired.tasks.front().index;
  rank.phase = RankPhase::running;
  rank.pid = 1;
  rank.started = loop_.now();
  report_.attempt = desired.attempt;
  report_.quiet = false;
  report_.ranks = {rank};
  send_heartbeat();
  RendezvousCall call;
  call.kind = RendezvousCall::Kind::barrier;
  call.key = "start";
  send(RendezvousRequest{++asked_, desired.attempt, rank.index, call});
}

// If the rank was told to stop, reports `stopping` first, then `exited`.
void SimulatedAgent::end(ExitStatus exit) {
  if (exit.asked) {
    report_.ranks.front().phase = RankPhase::stopping;
    send_heartbeat();
  }
  report_.ranks.front().phase = RankPhase::exited;
  report_.ranks.front().exit = std::move(exit);
  report_.ranks.front().ended = loop_.now();
  report_.quiet = true;
  send_heartbeat();
}

void SimulatedAgent::fail() { end(failed()); }

void SimulatedAgent::send_heartbeat() {
  if (!channel_ || job_.empty()) return;
  ++report_.beat;
  send(report_);
}

void SimulatedAgent::send(const AgentMessage& message) {
  if (!channel_) return;
  ++messages_;
  channel_->send(message);
}

}  // namespace muster::agent_swarm
