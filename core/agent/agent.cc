#include "core/agent/agent.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr Duration kFirstRedial = std::chrono::milliseconds(20);
constexpr Duration kGuestFarewell = std::chrono::milliseconds(20);
constexpr Duration kLongestRedial = std::chrono::seconds(1);
// What ranks get when their job's controller is gone for good (--standalone).
constexpr Duration kOrphanGrace = std::chrono::seconds(2);
std::vector<TendedOutput> tended(const std::vector<RankTask>& tasks) {
  std::vector<TendedOutput> outputs;
  for (const RankTask& task : tasks)
    outputs.push_back({task.index, task.stdout_path, task.tty ? "" : task.stderr_path});
  return outputs;
}

std::set<uint32_t> indices_of(const std::vector<RankTask>& tasks) {
  std::set<uint32_t> indices;
  for (const RankTask& task : tasks) indices.insert(task.index);
  return indices;
}

}  // namespace

Agent::Agent(AgentPorts ports, AgentSelf self, Leave leave)
    : ports_(ports),
      self_(std::move(self)),
      leave_(std::move(leave)),
      desk_(ports_.loop,
            [this](uint32_t index, WorkerDoor::Answer answer) { keep_for_next(index, std::move(answer)); }),
      parked_(ports_.loop, ports_.host, [this] { leave_when_quiet(); }),
      watch_({ports_.loop, ports_.probe}, {[this] { look_at_ranks(); }, [this] { changed(); }}),
      timers_({ports_.loop, ports_.timers}, [this](const ExpiredTimer& timer) { end_expired(timer); }),
      guests_(ports_.guests, [this](uint32_t index) { return beside(index); }) {}

Agent::~Agent() {
  *alive_ = false;
  ports_.loop.cancel(redial_timer_);
  ports_.loop.cancel(beat_timer_);
  ports_.loop.cancel(lease_timer_);
}

void Agent::start() {
  alone_since_ = ports_.loop.now();
  ports_.door.listen(
      [this](WorkerCall call, WorkerDoor::Answer answer) { desk_.ask(std::move(call), std::move(answer)); });
  lease_spare_port();
  dial();
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kBeat), [this] { beat(); });
}

void Agent::dial() {
  ports_.dialer.dial([this, alive = alive_](Result<std::unique_ptr<ChannelToCoordinator>> channel) {
    if (*alive) dialled(std::move(channel));
  });
}

void Agent::dialled(Result<std::unique_ptr<ChannelToCoordinator>> channel) {
  if (!channel.ok()) return channel_lost(channel.status());
  redial_ = Duration(0);
  channel_ = std::move(*channel);
  heard_at_ = ports_.loop.now();
  desk_.connect(channel_.get());
  guests_.connect(channel_.get());
  channel_->listen([this](const CoordinatorMessage& message) { heard(message); },
                   [this](const Status& status) { channel_lost(status); });
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
  if (!bind_) {
    hello.returned = self_.returned;
    hello.warm = self_.warm;
  }
  hello.pod = self_.pod;
  channel_->send(hello);
  repeats_.reset();
  if (host_output_) host_output_->connect(channel_.get());
}

void Agent::channel_lost(const Status& status) {
  if (channel_) {
    ports_.log.info("channel to the coordinator lost: " + status.message());
    alone_since_ = ports_.loop.now();
    // Destroyed in a turn of its own: we may be inside its handler.
    ports_.loop.post([gone = std::shared_ptr<ChannelToCoordinator>(std::move(channel_))] {});
    desk_.connect(nullptr);
    guests_.connect(nullptr);
    if (host_output_) host_output_->connect(nullptr);
  }
  if (leaving_) return farewell_until_ ? leave_when_quiet() : void();
  if (bind_ && !bind_->linger) return drain(kOrphanGrace, "the controller is gone");
  if (!bind_ && self_.returned) return drain(Duration(0), "nobody has a job for it");
  const bool idle = !ranks_ || ranks_->quiet();
  if (!idle) alone_since_ = ports_.loop.now();
  if (idle && ports_.loop.now() - alone_since_ > patience_alone()) return leave_alone();
  redial_ = redial_ == Duration(0) ? kFirstRedial : std::min(redial_ * 2, kLongestRedial);
  redial_timer_ = ports_.loop.at(ports_.loop.now() + redial_, [this] { dial(); });
}

void Agent::heard(const CoordinatorMessage& message) {
  heard_at_ = ports_.loop.now();
  std::visit([this](const auto& each) { obey(each); }, message);
}

void Agent::obey(const Bind& bind) {
  if (bind_) return;
  bind_ = bind;
  const bool relative = !bind.workdir.empty() && !bind.workdir.starts_with('/');
  if (relative) bind_->workdir = self_.folder + "/" + bind.workdir;
  lease_.grant(bind.lease);
  if (bind.sends_output) {
    const HostOutputPorts ports{ports_.loop, ports_.output, ports_.keeper};
    host_output_ = std::make_unique<HostOutput>(ports, bind.job, [this] { changed(); });
    host_output_->connect(channel_.get());
  }
  if (spare_port_.port != 0 && !ready_store()) lease_spare_port();
  if (bind.setup) begin_setup(*bind.setup);
  ports_.log.info("bound to " + bind.job_name + " as node " + std::to_string(bind.node));
}

// The fence: an attempt below the newest is a stranger's, and two never live at once.
void Agent::obey(const Wish& wish) {
  lease_.heard(wish.heard);
  keep(wish);
  if (!bind_ || leaving_ || wish.attempt < attempt_ || lease_.ended(ports_.loop.now())) return;
  if (wish.attempt == attempt_) {
    watch_.examine(wish.run && wish.examine);
    watch_.measure(wish.run && wish.measure);
    watch_.look_every(look_every_ = wish.look_every);
    if (!wish.run) stop_ranks(wish);
    return;
  }
  if (wish.run && wish.tasks.empty()) return;  // it is repeated with its tasks until we report the attempt
  if (wish.run && !prepared()) return;
  if (next_ && wish.attempt < next_->attempt) return;
  if (!ranks_ || ranks_->quiet()) return begin_attempt(wish);
  stop_ranks(wish);
  next_ = wish;
}

// Of what came twice, or not in its order, nothing is taken: the coordinator asks what we keep when we dial.
void Agent::keep(const Wish& wish) {
  if (wish.snapshot.empty()) return;
  if (wish.kept == 0) snapshot_.clear();
  if (wish.kept == snapshot_.size()) snapshot_ += wish.snapshot;
}

void Agent::stop_ranks(const Wish& wish) {
  const std::string why = wish.why.empty() ? "the attempt has ended" : wish.why;
  desk_.end({why, wish.broken, wish.grace}, wish.again);
  if (!wish.again) parked_.end(wish.grace, "no attempt follows: " + why);
  if (!ranks_) return;
  ranks_->stop({wish.grace, wish.signal});
  resume_stopped();
}

// Its peers are told that it has ended; the process stays.
void Agent::keep_for_next(uint32_t index, WorkerDoor::Answer answer) {
  std::optional<RankProcess> process = ranks_ ? ranks_->depart(index) : std::nullopt;
  if (process) parked_.park(index, std::move(*process), std::move(answer));
}

// Who waited here is a rank of this attempt; who finds no place in it ends.
void Agent::seat_parked(const std::vector<RankTask>& tasks) {
  for (const RankTask& task : tasks) {
    if (!parked_.has(task.index)) continue;
    std::map<std::string, std::string> environment = task.environment;
    environment["MUSTER_SOCKET"] = ports_.door.path();
    environment["MUSTER_STDOUT"] = task.stdout_path;
    environment["MUSTER_STDERR"] = task.stderr_path;
    ranks_->seat(task.index, parked_.take(task.index, environment));
  }
  parked_.end(Duration(0), "the rank runs elsewhere now");
}

void Agent::begin_attempt(Wish wish) {
  attempt_ = wish.attempt;
  if (host_output_) wish.tasks = host_output_->begin(attempt_, std::move(wish.tasks));
  met_ = importing_ = TimePoint();
  taken_ = false;
  next_.reset();
  used_port_ = std::move(spare_port_);
  const std::string storeless = open_store(wish);
  lease_spare_port();
  RankStart start{environment(), bind_->workdir, bind_->settings, bind_->own_environment ? self_.host : "",
                  setup_ ? setup_->venv() : ""};
  if (!ports_.door.path().empty()) start.environment["MUSTER_SOCKET"] = ports_.door.path();
  const std::vector<RankTask> tasks =
      with_timers(with_short_sockets(with_own_values(wish.run ? wish.tasks : std::vector<RankTask>())));
  ranks_ = std::make_unique<RankSet>(RankSetPorts{ports_.loop, ports_.host, ports_.output}, std::move(start), tasks,
                                     [this] { changed(); });
  desk_.begin(attempt_, indices_of(wish.tasks), wish.seats);
  seat_parked(tasks);
  dropped_.clear();
  watch_.begin();
  tender_ = std::make_unique<OutputTender>(ports_.keeper, bind_->log_max_bytes);
  tender_->begin(tended(wish.tasks));
  ports_.loop.cancel(lease_timer_);
  if (storeless.empty()) {
    warm_up(wish);
  } else {
    ranks_->start(storeless);
  }
  changed();
}

void Agent::obey(const TtyInput& typed) {
  if (ranks_) ranks_->type(typed);
}

void Agent::obey(const Dismiss& dismiss) {
  dismissed_ = dismiss;
  drain(Duration(0), "dismissed");
}

void Agent::drain(Duration grace, const std::string& why) {
  if (!leaving_) ports_.log.info("leaving: " + why);
  leaving_ = true;
  why_leaving_ = "its node was drained: " + why;
  next_.reset();
  desk_.end({"its node was drained: " + why, true, grace}, false);
  parked_.end(grace, "its node was drained: " + why);
  drain_ranks(grace, "its node was drained: " + why);
  if (setup_) setup_->stop();
  leave_when_quiet();
}

// Guests end with the ranks. What they came to is bulk on the link and still to be sent: a moment, and then what it takes to go.
bool Agent::waits_for_guests() {
  if (guest_farewells_ == 0 || !guests_.served()) return false;
  guest_farewells_ = guests_.empty() ? 0 : guest_farewells_ - 1;
  ports_.loop.at(ports_.loop.now() + kGuestFarewell, [this, alive = alive_] {
    if (*alive) leave_when_quiet();
  });
  return true;
}

void Agent::leave_when_quiet() {
  if (!leaving_ || (ranks_ && !ranks_->quiet()) || !parked_.empty() || !leave_ || waits_for_guests()) return;
  if ((setup_ && !setup_->quiet()) || waits_for_output() || waits_for_farewell()) return;
  if (host_output_) host_output_->clear();
  // In a turn of its own, after the last report went out.
  ports_.loop.post([this, alive = alive_] {
    const bool keep = *alive && bind_ && dismissed_ && dismissed_->keep;
    if (*alive && leave_) std::exchange(leave_, nullptr)(keep);
  });
}

// Nobody may have heard of us for so long that our ranks are about to run elsewhere. After a sleep the grace may be
// over too.
void Agent::end_lease() {
  next_.reset();
  const Duration grace = std::max(Duration(0), bind_->lease_grace - lease_.over(ports_.loop.now()));
  taken_ = self_.pod.has_value();
  const std::string why = self_.host + " heard nothing of the coordinator for " + humane_duration(lease_.length());
  desk_.end({why, true, grace}, false);
  parked_.end(grace, why);
  drain_ranks(grace, why);
}

// Many changes of one turn, or of one millisecond, are one report.
void Agent::changed() {
  if (report_due_) return;
  report_due_ = true;
  ports_.loop.post([this, alive = alive_] {
    if (*alive) send_report(false);
  });
}

// What a lease stands on is renewed each beat.
void Agent::tell(const Report& report, bool repeated) {
  if (!repeated) repeats_.reset();
  if (repeats_.due(report, bind_->lease > Duration(0) ? 1 : beats_between(look_every_))) channel_->send(report);
}

void Agent::send_report(bool repeated) {
  report_due_ = false;
  const bool quiet = ranks_ && ranks_->quiet();
  if (quiet) tend_output();
  if (quiet && leaving_) devices_.reset();
  if (quiet && parked_.empty() && !devices_) let_go();
  if (channel_ && bind_) tell(report(), repeated);
  if (quiet && next_ && !lease_.ended(ports_.loop.now())) begin_attempt(*next_);
  leave_when_quiet();
}

void Agent::tend_output() {
  if (!tender_) return;
  const OutputTender::Beat beat = tender_->beat(ports_.loop.now());
  for (const DroppedOutput& dropped : beat.dropped) {
    dropped_[dropped.index] += dropped.bytes;
    if (host_output_) host_output_->dropped(dropped);
  }
  if (!beat.troubles.empty()) trouble_ = beat.troubles.back();
}

void Agent::beat() {
  tend_output();
  if (host_output_) host_output_->beat();
  look_at_ranks();
  if (lease_.ended(ports_.loop.now())) end_lease();
  give_up_silent_link();
  if (spare_port_.port == 0) lease_spare_port();
  if (!report_due_) send_report(true);
  beat_timer_ = ports_.loop.at(next_whole(ports_.loop.now(), kBeat), [this] { beat(); });
}

Report Agent::report() {
  Report report;
  report.beat = lease_.beat(ports_.loop.now());
  report.attempt = attempt_;
  // An agent on its way out takes no further attempt: that its node is quiet is told by its end.
  report.quiet = !leaving_ && (!ranks_ || ranks_->quiet());
  report.setup = setup_report();
  report.spare_port = spare_port_.port;
  hear_store();
  report.trouble = trouble_;
  report.taken = taken_;
  if (ranks_) report.ranks = ranks_->report();
  add_open_barrier(report);
  report.met = met();
  report.importing = importing_;
  for (RankReport& rank : report.ranks) {
    const auto dropped = dropped_.find(rank.index);
    if (dropped != dropped_.end()) rank.dropped_bytes = dropped->second;
    if (const Progress* progress = desk_.progress(rank.index)) rank.progress = *progress;
    watch_.tell(rank);
  }
  if (host_output_) host_output_->tell(report);
  if (host_output_ && !host_output_->trouble().empty()) report.trouble = host_output_->trouble();
  return report;
}

}  // namespace muster
