// SPDX-License-Identifier: Apache-2.0
#include "core/agent/agent.h"

#include <algorithm>

#include "core/agent/alone_patience.h"
#include "core/base/text.h"

namespace muster {
namespace {

// The grace of ranks after their job's controller has ended and none will take over (--standalone).
constexpr Duration kOrphanGrace = std::chrono::seconds(2);
// A pod's agent dials again after this long without a message: another coordinator may run by then.
constexpr Duration kSilent = std::chrono::seconds(10);

}  // namespace

Agent::Agent(AgentPorts ports, AgentSelf self, Leave leave)
    : ports_(std::move(ports)),
      self_(std::move(self)),
      leave_(std::move(leave)),
      link_({ports_.loop, ports_.dialer, ports_.log},
            {[this] { opened(); }, [this](const CoordinatorMessage& message) { heard(message); }, [this] { closed(); },
             [this] { unreachable(); }}),
      reporter_(ports_.loop, [this] { report_now(false); }),
      worker_server_(ports_.loop, [this](uint32_t index, auto answer) { keep_for_next(index, std::move(answer)); }),
      parked_(ports_.loop, ports_.host, [this] { leave_when_quiet(); }),
      leftovers_(ports_.loop, ports_.leftovers,
                 {[this] { ranks_ ? ranks_->settle() : void(); }, [this](const std::string& what) { trouble_ = what; },
                  [this] { changed(); }}),
      preparation_(
          {{ports_.loop, ports_.host, ports_.output, ports_.keeper, ports_.setups}, ports_.leases, ports_.containers},
          self_.incarnation, {[this] { changed(); }, [this](const DeviceHold& devices) { claim_devices(devices); }}),
      services_(ports_.services(),
                {[this](const auto& why) { service_failed(why); }, [this](const auto& what) { trouble_ = what; },
                 [this] { changed(); }, [this](uint32_t index) { ranks_ ? ranks_->kill(index) : void(); },
                 [this](auto done) { ports_.host.sweep(leftovers_.spared_after_services(), std::move(done)); }}),
      tcp_ports_(ports_.leases, [this](const NodePorts& next) { return !bind_ || services_.reserve(*bind_, next); }),
      devices_({ports_.loop, ports_.leases, ports_.log}),
      tasks_(ports_.door, [this](uint32_t index) { return parked_.has(index); }),
      output_({ports_.loop, ports_.output, ports_.keeper}, self_.host, [this] { changed(); }),
      attention_(
          {ports_.loop, ports_.probe, ports_.timers, ports_.log},
          [this](uint32_t index) { return worker_server_.calls(index); }, [this] { changed(); }),
      execs_(ports_.execs, self_.program, [this](const auto& where) { return beside(where); }),
      peer_execs_(ports_.door),
      shutdown_(ports_.loop, [this] { leave_when_quiet(); }) {}

Agent::~Agent() {
  *alive_ = false;
  ports_.loop.cancel(beat_timer_);
}

void Agent::start() {
  link_.needed();
  ports_.door.listen([this](WorkerCall call,
                            WorkerListener::Answer answer) { worker_server_.ask(std::move(call), std::move(answer)); },
                     [this](const std::string& what) { trouble_ = self_.host + ": " + what; });
  lease_ports();
  link_.dial();
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kHeartbeat), [this] { beat(); });
}

void Agent::opened() {
  ChannelToCoordinator* channel = link_.channel();
  worker_server_.connect(channel);
  execs_.connect(channel);
  peer_execs_.connect(channel);
  Hello hello;
  hello.binary_hash = self_.binary_hash;
  hello.incarnation = self_.incarnation;
  hello.guardian = self_.guardian;
  hello.process = self_.process;
  hello.host = self_.host;
  if (bind_) hello.job = bind_->job;
  if (bind_) hello.node = bind_->node;
  hello.report = report();
  hello.snapshot = snapshot_;
  if (!bind_) hello.returned = self_.returned;
  if (!bind_) hello.warm = self_.warm;
  hello.pod = self_.pod;
  channel->send(hello);
  reporter_.reset();
  output_.connect(channel);
}

void Agent::closed() {
  worker_server_.connect(nullptr);
  execs_.connect(nullptr);
  peer_execs_.connect(nullptr);
  output_.connect(nullptr);
}

void Agent::unreachable() {
  if (leaving_) return shutdown_.said() ? leave_when_quiet() : void();
  const bool orphan = bind_ && !bind_->linger;
  if (orphan && link_.alone() >= self_.patience) return drain(kOrphanGrace, "the controller has ended");
  if (orphan) return link_.dial_later();
  if (!bind_ && self_.returned) return drain(Duration(0), "no controller has a job for this agent");
  const bool idle = !ranks_ || ranks_->quiet();
  if (!idle) link_.needed();
  if (idle && link_.alone() > alone_patience(bind_, self_.pod.has_value())) return leave_alone();
  link_.dial_later();
}

// If a pod's agent just exits, its container is started again and waits again. A dismissed agent is not started again.
void Agent::leave_alone() {
  if (self_.pod)
    dismissed_ = Dismiss{"no message from the coordinator for " + humane_duration(alone_patience(bind_, true)) +
                             ": this node is no longer needed",
                         false, true};
  drain(Duration(0), "no coordinator connected to this node again");
}

void Agent::heard(const CoordinatorMessage& message) {
  std::visit([this](const auto& each) { obey(each); }, message);
}

void Agent::obey(const Bind& bind) {
  if (bind_) return;
  bind_ = bind;
  if (!bind.workdir.empty() && bind.workdir[0] != '/') bind_->workdir = self_.folder + "/" + bind.workdir;
  lease_.grant(bind.lease);
  devices_.bind(bind.job, bind.job_name);
  tcp_ports_.need(bind.ports);
  leftovers_.bind(bind.leftovers, bind.own_environment ? " on " + self_.host : "");
  output_.bind(*bind_, link_.channel());
  if (bind.streams.input) input_ = std::make_shared<RankInput>(RankInput{*bind.streams.input, nullptr});
  lease_ports();
  changed();  // no rank of the job starts before the coordinator knows the ports
  if (bind.setup) begin_setup(*bind.setup);
  ports_.log.info("bound to " + bind.job_name + " as node " + std::to_string(bind.node));
}

// The fence: an attempt below the newest is ignored, and two attempts never run at once.
void Agent::obey(const DesiredState& desired) {
  lease_.heard(desired.heard);
  keep(desired);
  if (!bind_ || leaving_ || desired.attempt < attempt_ || lease_.ended(ports_.loop.now())) return;
  if (desired.attempt == attempt_) {
    attention_.obey(desired);
    reporter_.look_every(desired.look_every);
    if (!desired.run) stop_ranks(desired);
    return;
  }
  // The coordinator repeats it with tasks until we report the attempt.
  if (desired.run && (desired.tasks.empty() || !preparation_.done())) return;
  if (next_ && desired.attempt < next_->attempt) return;
  if (!ranks_ || ranks_->quiet()) return begin_when_stopped(desired);
  stop_ranks(desired);
  next_ = desired;
}

void Agent::obey(const Dismiss& dismiss) {
  dismissed_ = dismiss;
  drain(Duration(0), "dismissed");
}

// A part that came twice or out of order is ignored. When we connect again, Hello tells the coordinator what we keep.
void Agent::keep(const DesiredState& desired) {
  if (desired.snapshot.empty()) return;
  if (desired.kept == 0) snapshot_.clear();
  if (desired.kept == snapshot_.size()) snapshot_ += desired.snapshot;
}

// Leases the ports of the next attempt.
void Agent::lease_ports() {
  const Status leased = tcp_ports_.lease();
  if (leased.ok() && !ports_.leases.blind_spot().empty()) trouble_ = ports_.leases.blind_spot();
  if (!leased.ok()) trouble_ = "the next attempt waits for a port on " + self_.host + ": " + leased.message();
}

void Agent::begin_setup(SetupTask task) {
  task = output_.begin_setup(std::move(task));
  SetupStart start{node_environment(*bind_, self_.programs), bind_->workdir, bind_->settings};
  preparation_.begin(std::move(task), std::move(start));
}

// The claim is published as soon as the devices are held, so that jobs in the queues of other users wait.
void Agent::claim_devices(const DeviceHold& devices) {
  Claim claim;
  claim.gpus.insert(devices.gpus().begin(), devices.gpus().end());
  devices.held() ? devices_.claim(claim) : devices_.release();
  changed();
}

// Waits for services of the previous attempt, which call changed() when they stop, and for output files, with each heartbeat.
void Agent::begin_when_stopped(DesiredState desired) {
  services_.stop();
  if (services_.stopped() && output_.prepare(desired)) return begin_attempt(std::move(desired));
  next_ = std::move(desired);
}

void Agent::begin_attempt(DesiredState desired) {
  attempt_ = desired.attempt;
  desired.tasks = output_.begin(attempt_, std::move(desired.tasks));
  met_ = TimePoint();
  taken_ = false;
  next_.reset();
  devices_.cancel();
  tcp_ports_.begin();
  ports_.door.restore();
  RankStart start = rank_start(*bind_, self_.programs, preparation_, ports_.door.path());
  start.host = bind_->own_environment ? self_.host : "";
  start.input = input_;
  const std::vector<RankTask> tasks = local(desired.run ? desired.tasks : std::vector<RankTask>());
  leftovers_.begin(attempt_);
  const auto note = [this](const std::string& what) { output_.note(what); };
  const auto fault = [this](uint32_t index, const ExitStatus& exit) { return services_.fault(index, exit); };
  ranks_ = std::make_unique<RankSet>(RankSetPorts{ports_.loop, ports_.host, ports_.output, leftovers_, note, fault},
                                     std::move(start), tasks, [this] {
                                       if (ranks_->over()) execs_.kill();  // they end with the ranks
                                       changed();
                                     });
  worker_server_.begin(attempt_, indices_of(desired.tasks), desired.members);
  peer_execs_.begin(attempt_);
  adopt_parked(tasks);
  attention_.begin(ranks_.get());
  start_services(std::move(desired));
  changed();
}

std::vector<RankTask> Agent::local(std::vector<RankTask> tasks) {
  tasks = tasks_.begin(*bind_, self_.programs, attempt_, std::move(tasks));
  const std::string failure = attention_.offer_timers(*bind_, tasks);
  if (!failure.empty()) trouble_ = "the ranks on " + self_.host + " have no file timers: " + failure;
  return tasks;
}

// A parked process becomes a rank of this attempt. A parked process without a task on this node is ended.
void Agent::adopt_parked(const std::vector<RankTask>& tasks) {
  for (const RankTask& task : tasks) {
    if (!parked_.has(task.index)) continue;
    ParkedRanks::Taken taken = parked_.take(task.index);
    ranks_->adopt(task.index, std::move(taken.process), std::move(taken.answer));
  }
  parked_.end(Duration(0), "the rank now runs on another node");
}

// The ports of the next attempt are leased only after the services have taken those of this attempt.
void Agent::start_services(DesiredState desired) {
  const std::vector<RankTask> tasks = desired.tasks;
  services_.start({*bind_, std::move(desired), tcp_ports_.current(), [this] { return ranks_->requests(); },
                   [this](const auto& call, auto answer) { worker_server_.ask_for_service(call, std::move(answer)); },
                   [this](uint32_t index, const auto& gift) { ranks_->give(index, gift.environment, gift.descriptor); },
                   [this, tasks](const std::string& failure) { start_ranks(tasks, failure); }});
}

void Agent::start_ranks(std::vector<RankTask> tasks, const std::string& failure) {
  lease_ports();
  const std::string& refusal = failure.empty() ? output_.refusal() : failure;
  if (!refusal.empty()) return ranks_->start(refusal);
  devices_.acquire(std::move(tasks), preparation_.devices(),
                   [this](const std::string& refusal) { ranks_->start(refusal); });
}

// The exit details of the ranks say why. The coordinator decides what follows.
void Agent::service_failed(const std::string& why) {
  trouble_ = why;
  drain_ranks({bind_->lease_grace, why, true});
  changed();
}

// The rank is reported as ended, so that its peers end too. Its process stays for the next attempt.
void Agent::keep_for_next(uint32_t index, WorkerListener::Answer answer) {
  std::optional<RankProcess> process = ranks_ ? ranks_->depart(index) : std::nullopt;
  if (process) parked_.park(index, std::move(*process), std::move(answer));
}

Result<ExecRequest> Agent::beside(const ExecServer::Where& where) const {
  if (where.attempt > attempt_) return RankSet::not_started();
  if (where.attempt != 0 && where.attempt != attempt_) return ended_attempt(where.attempt);
  if (!ranks_) return Status(Code::failed_precondition, std::string(kRankNotStarted));
  const auto place = ranks_->beside(where.index, where.whole_node);
  if (!place.ok()) return place.status();
  ExecRequest request{place->spawn, place->rank};
  request.spawn.settings.ignored_signals.clear();  // Ctrl-C ends it, also if the job was submitted with `&`
  return request;
}

void Agent::stop_ranks(const DesiredState& desired) {
  const std::string why = desired.why.empty() ? "the attempt has ended" : desired.why;
  worker_server_.end({why, desired.broken, desired.grace}, desired.again);
  if (!desired.again) parked_.end(desired.grace, "no attempt follows: " + why);
  if (!ranks_) return;
  if (services_.abandon()) lease_ports();
  leftovers_.stop({ports_.loop.now() + desired.grace, desired.signal, desired.again, desired.grace <= Duration(0)});
  ranks_->stop({desired.grace, desired.signal});
  attention_.resume_stopped();
}

void Agent::drain_ranks(const RankSet::Drain& drain) {
  if (!ranks_) return;
  services_.abandon();
  leftovers_.stop({ports_.loop.now() + drain.grace, SIGTERM, false, true});
  ranks_->drain(drain);
  attention_.resume_stopped();
}

void Agent::drain_as_stopped(Duration otherwise, const std::string& why) {
  taken_ = self_.pod.has_value();  // other backends wait for the host
  drain(bind_ ? bind_->stop_grace : otherwise, why);
  changed();
}

void Agent::drain(Duration grace, const std::string& why) {
  if (!leaving_) ports_.log.info("leaving: " + why);
  leaving_ = true;
  why_leaving_ = "its node was drained: " + why;
  next_.reset();
  worker_server_.end({why_leaving_, true, grace}, false);
  parked_.end(grace, why_leaving_);
  drain_ranks({grace, why_leaving_});
  preparation_.stop();
  leave_when_quiet();
}

// The coordinator may have received no report for so long that it is about to run our ranks on another node. If the host
// slept, the grace may be over too.
void Agent::end_lease() {
  next_.reset();
  const Duration grace = std::max(Duration(0), bind_->lease_grace - lease_.over(ports_.loop.now()));
  taken_ = self_.pod.has_value();
  const std::string why =
      self_.host + " received no message from the coordinator for " + humane_duration(lease_.length());
  worker_server_.end({why, true, grace}, false);
  parked_.end(grace, why);
  drain_ranks({grace, why});
}

void Agent::leave_when_quiet() {
  if (!leaving_ || (ranks_ && !ranks_->quiet()) || !parked_.empty() || !leave_) return;
  if (shutdown_.waits_for_execs(execs_) || !preparation_.quiet() || output_.holds_up_leaving()) return;
  const bool replaced = bind_ && !dismissed_ && bind_->lease > Duration(0);
  if (replaced && shutdown_.waits_for_coordinator(link_.channel(), why_leaving_)) return;
  services_.stop();
  if (!services_.stopped() || shutdown_.waits_for_sweep(ports_.host, leftovers_)) return;
  if (!preparation_.closed()) return preparation_.close();
  output_.clear();
  // In a later turn of the loop, after the last report was sent.
  ports_.loop.post([this, alive = alive_] {
    const bool keep = *alive && bind_ && dismissed_ && dismissed_->keep;
    if (*alive && leave_) std::exchange(leave_, nullptr)(keep);
  });
}

void Agent::report_now(bool repeated) {
  const bool quiet = ranks_ && ranks_->quiet();
  if (quiet) trouble_ = output_.enforce(std::move(trouble_));
  if (quiet && leaving_) preparation_.let_devices_go();
  if (quiet && parked_.empty() && preparation_.devices() == nullptr) devices_.release();
  if (link_.channel() != nullptr && bind_)
    reporter_.send(*link_.channel(), report(), repeated, bind_->lease > Duration(0));
  if ((!ranks_ || quiet) && next_ && !lease_.ended(ports_.loop.now())) begin_when_stopped(*next_);
  leave_when_quiet();
}

void Agent::beat() {
  trouble_ = output_.enforce(std::move(trouble_));
  output_.beat();
  attention_.look();
  execs_.continue_stopped();
  ports_.door.restore();
  if (lease_.ended(ports_.loop.now())) end_lease();
  if (self_.pod) link_.give_up_silent(kSilent);
  if (tcp_ports_.next().meeting == 0 && !services_.starting()) lease_ports();
  if (!reporter_.pending()) report_now(true);
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kHeartbeat), [this] { beat(); });
}

Report Agent::report() {
  Report report;
  report.beat = lease_.beat(ports_.loop.now());
  report.attempt = attempt_;
  // An agent that is about to exit starts no further attempt. Its exit tells that the node is quiet.
  report.quiet = !leaving_ && (!ranks_ || ranks_->quiet());
  report.setup = preparation_.report();
  report.meeting_port = tcp_ports_.next().meeting;
  report.ports = tcp_ports_.next().by_owner;
  services_.tell(report);
  // Once known, the time does not change.
  if (met_ == TimePoint()) met_ = report.met != TimePoint() ? report.met : worker_server_.met();
  report.met = met_;
  report.trouble = preparation_.trouble().empty() ? trouble_ : preparation_.trouble();
  report.taken = taken_;
  if (ranks_) report.ranks = ranks_->report();
  if (const auto open = worker_server_.longest_open()) {
    report.waits = open->sentence;
    report.waited = ports_.loop.now() - open->since;
  }
  for (RankReport& rank : report.ranks) {
    if (const Progress* progress = worker_server_.progress(rank.index)) rank.progress = *progress;
  }
  attention_.tell(report);
  output_.tell(report);
  return report;
}

}  // namespace muster
