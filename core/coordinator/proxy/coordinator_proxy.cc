// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/proxy/coordinator_proxy.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/journal/job_lookup.h"
#include "core/journal/journal_copy.h"
#include "core/port/exec_channel.h"

namespace muster {
namespace {

constexpr Duration kFirstRedial = std::chrono::milliseconds(50);
constexpr Duration kLongestRedial = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::seconds(1);
// The lease that ends the ranks if this process is stopped: a little longer than kCoordinatorTimeout, and shorter than the
// coordinator's timeout.
constexpr Duration kAgentLease = kCoordinatorTimeout + 2 * kHeartbeat;
constexpr Duration kSilent = std::chrono::seconds(3);
constexpr Duration kShutdownDelay = std::chrono::milliseconds(200);
// Another program may be about to release the port, so a few wrong answers are accepted.
constexpr uint32_t kMostStrangers = 5;

// Words in gRPC's messages if a peer answers with another protocol.
bool is_stranger(const std::string& why) {
  constexpr const char* kWords[] = {"handshake", "Handshake", "Socket closed", "reset",
                                    "HTTP",      "settings",  "Broken pipe"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](const char* word) { return why.find(word) != std::string::npos; });
}

}  // namespace

CoordinatorProxy::CoordinatorProxy(CoordinatorProxyPorts ports, CoordinatorProxySelf self, Handlers handlers)
    : ports_(ports),
      self_(std::move(self)),
      handlers_(std::move(handlers)),
      began_(ports_.loop.now()) {
  ports_.placement.on_lost([this](const NodeRef&, const std::string& reason) {
    if (uplink_) uplink_->send(Leave{"its agent has ended: " + reason});
    give_up(Status(Code::unavailable, "the agent on this host has ended: " + reason));
  });
}

CoordinatorProxy::~CoordinatorProxy() {
  *alive_ = false;
  ports_.loop.cancel(redial_timer_);
  ports_.loop.cancel(look_timer_);
}

void CoordinatorProxy::start() {
  dial();
  look();
}

void CoordinatorProxy::dial() {
  ports_.dialer.dial([this, alive = alive_](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
    if (*alive) dialled(std::move(channel));
  });
}

void CoordinatorProxy::dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel) {
  if (!channel.ok()) return dial_again(channel.status());
  redial_ = Duration(0);
  strangers_ = 0;
  uplink_ = std::move(*channel);
  uplink_->listen([this](const CoordinatorMessage& message) { heard(message); },
                  [this](const Status& status) { uplink_closed(status); });
  uplink_->send(hello());
}

Hello CoordinatorProxy::hello() const {
  Hello hello;
  hello.binary_hash = self_.binary_hash;
  hello.incarnation = self_.incarnation;
  hello.host = self_.host;
  hello.offer = self_.offer;
  hello.report = report_;
  if (!bind_) return hello;
  hello.job = bind_->job;
  hello.node = bind_->node;
  return hello;
}

void CoordinatorProxy::uplink_closed(const Status& status) {
  // Destroyed in a later turn of the loop: this may be a call from its handler.
  ports_.loop.post([gone = std::shared_ptr<ChannelToCoordinator>(std::move(uplink_))] {});
  if (over_) return;
  if (status.code() == Code::failed_precondition) return give_up(status);
  dial_again(status);
}

void CoordinatorProxy::dial_again(const Status& why) {
  if (over_) return;
  strangers_ = is_stranger(why.message()) ? strangers_ + 1 : 0;
  if (strangers_ > kMostStrangers && !bind_) {
    return give_up(Status(Code::failed_precondition,
                          self_.endpoint + " answers, but it is not `muster torchrun` with the same MUSTER_TOKEN"));
  }
  if (!bind_ && !remarked_ && ports_.loop.now() - began_ > kLook) {
    remarked_ = true;
    if (handlers_.remark) handlers_.remark("waiting for " + self_.endpoint + ", which does not answer yet");
  }
  redial_ = redial_ == Duration(0) ? kFirstRedial : std::min(redial_ * 2, kLongestRedial);
  redial_timer_ = ports_.loop.at(ports_.loop.now() + redial_, [this] { dial(); });
}

void CoordinatorProxy::heard(const CoordinatorMessage& message) {
  if (over_) return;
  heard_ = ports_.loop.now();
  if (const auto* bind = std::get_if<Bind>(&message)) return obey(*bind);
  if (const auto* desired = std::get_if<DesiredState>(&message)) return obey(*desired);
  if (const auto* copy = std::get_if<JournalCopy>(&message)) return obey(*copy);
  if (const auto* dismiss = std::get_if<Dismiss>(&message)) return obey(*dismiss);
  // On a host that the user started by hand, the coordinator may not choose programs.
  if (std::holds_alternative<ExecFrame>(message) || std::holds_alternative<PeerExec>(message)) return;
  pass_on(message);
}

void CoordinatorProxy::pass_on(const CoordinatorMessage& message) {
  if (agent_) agent_->send(message);
}

void CoordinatorProxy::obey(const Bind& bind) {
  if (bind_) return;
  bind_ = bind;
  ports_.placement.place({self_.job, bind.node}, [this, alive = alive_](Result<PlacedAgent> agent) {
    if (*alive) placed(std::move(agent));
  });
}

Bind CoordinatorProxy::localized_bind(Bind bind) const {
  bind.job = self_.job;
  bind.environment = self_.secrets.environment;
  bind.settings = self_.secrets.settings;
  bind.workdir = self_.spec.workdir;
  bind.linger = false;
  bind.lease = kAgentLease;
  bind.lease_grace = Duration(0);
  bind.log_max_bytes = self_.spec.logs.max_bytes;
  return bind;
}

void CoordinatorProxy::placed(Result<PlacedAgent> agent) {
  if (over_) return;
  if (!agent.ok()) {
    if (uplink_) uplink_->send(Leave{"cannot start an agent there: " + agent.status().message()});
    return give_up(agent.status());
  }
  report_ = agent->agent.hello.report;
  agent_ = std::move(agent->agent.channel);
  agent_->listen([this](const AgentMessage& message) { agent_said(message); }, [](const Status&) {});
  agent_->send(localized_bind(*bind_));
  if (const auto desired = std::exchange(waiting_, std::nullopt)) obey(*desired);
}

void CoordinatorProxy::agent_said(const AgentMessage& message) {
  if (const auto* report = std::get_if<Report>(&message)) report_ = *report;
  if (const auto* peer = std::get_if<PeerExec>(&message)) return refuse(peer->frame);
  if (uplink_) uplink_->send(message);
}

// No other host may start programs here, and this one starts none there.
void CoordinatorProxy::refuse(const ExecFrame& frame) {
  if (!std::holds_alternative<ExecStart>(frame.part)) return;
  const Status why(
      Code::failed_precondition,
      "hosts that were started by hand start no programs for each other; name them with -H, which uses ssh");
  agent_->send(PeerExec{{frame.id, refused_exec(why)}});
}

void CoordinatorProxy::obey(const DesiredState& desired) {
  stop_.reset();
  if (!agent_) {
    waiting_ = desired;
    return;
  }
  if (const auto ours = localized_state(desired)) pass_on(*ours);
  if (!desired.run) stop_ = desired;
}

// The coordinator names the ranks; command and environment come from this host. Empty: the journal does not have the attempt yet.
std::optional<DesiredState> CoordinatorProxy::localized_state(DesiredState desired) {
  desired.heard = report_.beat;  // the agent's lease depends on this process, not on the coordinator
  if (desired.tasks.empty()) return desired;
  if (!fold_ || fold_->endpoints().attempt != desired.attempt) return std::nullopt;
  Submission submission = fold_->submission();
  if (bind_->node >= submission.plan.nodes.size()) return std::nullopt;
  give_devices(submission.plan, bind_->node, self_.here);
  if (fold_->endpoints().endpoints.size() != submission.spec.groups.size()) return std::nullopt;
  AttemptPlace place = fold_->attempt_place(bind_->node);
  place.addresses.resize(submission.plan.nodes.size());
  place.addresses.edit(bind_->node) = bind_->address;
  place.loopbacks.assign(submission.plan.nodes.size(), ports_.placement.loopback({self_.job, bind_->node}));
  desired.tasks = tasks_of(
      submission, self_.secrets, bind_->node, place, [&](const PlannedRank& rank, OutputStream stream) -> std::string {
        const auto path = ports_.output.path(self_.job, desired.attempt, rank_file(submission.spec, rank), stream);
        if (!path.ok()) ports_.log.error(path.status().message());
        return path.ok() ? *path : "";
      });
  return desired;
}

void CoordinatorProxy::obey(const JournalCopy& copy) {
  // Between attempts no desired state comes, but the agent's lease must not end.
  if (agent_ && stop_) {
    stop_->heard = report_.beat;
    pass_on(*stop_);
  }
  for (const std::string& line : copy.lines) {
    ++self_.offer.lines;
    if (const Status kept = keep(line); !kept.ok()) return give_up(kept.with_context("the job's journal"));
  }
  if (fold_ && fold_->state().phase == job::Phase::done) keep_record();
}

Status CoordinatorProxy::keep(const std::string& line) {
  Result<JournalLine> read = decode_line(line);
  if (!read.ok()) return read.status();
  if (const auto* shared = std::get_if<Submission>(&read->entry)) return keep_submission(read->time, *shared);
  if (!fold_ || !bind_) return {};
  fold_->take_entry(read->time, read->entry);
  return ports_.store.append(self_.job, line, false);
}

Status CoordinatorProxy::keep_submission(TimePoint at, const Submission& shared) {
  if (!bind_ || fold_) return {};
  // The submission came over the network. decode_line has checked its ranks and nodes.
  const size_t places = shared.plan.membership ? shared.plan.membership->most : shared.plan.nodes.size();
  if (bind_->node >= places) return Status(Code::data_loss, "it has no node for this host");
  Submission ours = localized(shared, self_.job, self_.spec, bind_->node, self_.here);
  if (const Status made = ports_.store.create({ours.id, ours.name, "queued", at, TimePoint(), ""}); !made.ok())
    return made;
  const Status written = ports_.store.append(ours.id, encode_line({at, ours}), false);
  if (!written.ok()) return written;
  std::vector<job::Action> decided_elsewhere;
  fold_.emplace(std::move(ours), at, decided_elsewhere);
  begun();
  return {};
}

void CoordinatorProxy::keep_record() {
  if (const Status kept = ports_.store.update(record_of(*fold_)); !kept.ok()) ports_.log.error(kept.message());
  ports_.store.disown(self_.job);
}

// In a later turn of the loop: more lines follow in this one.
void CoordinatorProxy::begun() {
  ports_.loop.post([this, alive = alive_] {
    if (*alive && handlers_.joined) std::exchange(handlers_.joined, nullptr)(Status());
  });
}

void CoordinatorProxy::obey(const Dismiss& dismiss) {
  if (!bind_)
    return give_up(
        Status(Code::failed_precondition, dismiss.why.empty() ? "the first host does not take this one" : dismiss.why));
  const bool done = fold_ && fold_->state().phase == job::Phase::done;
  if (!done) return give_up(Status(Code::unavailable, "the job continues without this host"));
  over_ = true;
  pass_on(dismiss);
  ports_.placement.release({self_.job, bind_->node});
  // The coordinator waits until we close the channel, which tells it that we have received Dismiss.
  ports_.loop.post([gone = std::shared_ptr<ChannelToCoordinator>(std::move(uplink_))] {});
}

Status CoordinatorProxy::stop(int signal, Duration grace) {
  const Duration given = grace < Duration(0) ? self_.spec.timeouts.stop : grace;
  // A coordinator sends something every heartbeat.
  if (!uplink_ || (bind_ && ports_.loop.now() - heard_ > kSilent)) {
    const Status alone(Code::unavailable, "stopped while " + self_.endpoint + " could not be reached");
    give_up(alone);
    return alone;
  }
  uplink_->send(Leave{"stopped by the user on " + self_.host, true, signal, given});
  return {};
}

void CoordinatorProxy::leave(const std::string& why) {
  const std::string sentence = why + " on " + self_.host;
  if (uplink_) uplink_->send(Leave{sentence, true, SIGTERM, self_.spec.timeouts.stop});
  give_up(Status(Code::cancelled, sentence));
}

void CoordinatorProxy::look() {
  const TimePoint now = ports_.loop.now();
  if (bind_ && now - heard_ > kCoordinatorTimeout) {
    return give_up(Status(Code::unavailable, "no message from " + self_.endpoint + " for " +
                                                 humane_duration(now - heard_) +
                                                 "; the ranks on this host were killed"));
  }
  if (!bind_ && uplink_ && !remarked_ && now - began_ > kLook) {
    remarked_ = true;
    if (handlers_.remark) handlers_.remark("waiting at " + self_.endpoint + " until the job takes this host");
  }
  if (!bind_ && now - began_ > self_.patience) {
    const std::string what = uplink_ ? "the job did not start" : self_.endpoint + " did not answer";
    return give_up(Status(Code::deadline_exceeded, what + " within " + humane_duration(self_.patience)));
  }
  look_timer_ = ports_.loop.at(now + kLook, [this] { look(); });
}

// The processes on this host are killed. Messages that were sent before are delivered meanwhile.
void CoordinatorProxy::give_up(const Status& why) {
  if (std::exchange(over_, true)) return;
  if (fold_ && fold_->state().phase != job::Phase::done) {
    const Status closed = close_copy(*fold_, ports_.store, ports_.loop.now(), why.message());
    if (!closed.ok()) ports_.log.error(closed.message());
    keep_record();
  }
  if (bind_) {
    ports_.placement.end({self_.job, bind_->node});
    ports_.placement.release({self_.job, bind_->node});
  }
  ports_.loop.cancel(look_timer_);
  look_timer_ = ports_.loop.at(ports_.loop.now() + kShutdownDelay, [this, why] {
    auto& told = handlers_.joined ? handlers_.joined : handlers_.lost;
    if (told) std::exchange(told, nullptr)(why);
  });
}

}  // namespace muster
