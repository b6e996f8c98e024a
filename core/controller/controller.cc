#include "core/controller/controller.h"

#include <algorithm>

#include "core/attempt/secrets_file.h"
#include "core/base/text.h"
#include "core/journal/job_lookup.h"
#include "core/port/send_away.h"

namespace muster {
namespace {

// `ps` without -a shows jobs that ended this recently.
constexpr Duration kRecent = std::chrono::hours(1);
// How long a finished job's channels get to deliver their farewell.
constexpr Duration kFarewell = std::chrono::seconds(2);
// Its viewers have been told by then.
constexpr Duration kSettle = std::chrono::milliseconds(50);
// How long what ranks use is measured after it was asked for.
constexpr Duration kMeasured = std::chrono::seconds(5);
// How long where ranks stand is told after it was asked for.
constexpr Duration kExamined = std::chrono::seconds(3);
constexpr Duration kFirstCall = std::chrono::seconds(2);

// Of those that ended, the newest few (control.h), oldest first as all.
void keep_recent(std::vector<const JobRecord*>& listed, TimePoint now) {
  size_t ended = 0;
  const auto drop = [&](const JobRecord* record) {
    return record->has_ended() && (now - record->ended >= kRecent || ++ended > kMostEndedListed);
  };
  std::reverse(listed.begin(), listed.end());
  std::erase_if(listed, drop);
  std::reverse(listed.begin(), listed.end());
}

}  // namespace

Controller::Controller(ControllerPorts ports, ControllerSelf self, std::function<void()> leave)
    : ports_(ports),
      self_(std::move(self)),
      leave_(std::move(leave)),
      random_(self_.seed),
      viewers_(ports_.loop, ports_.output, [this] { used(); }) {
  ports_.backends.each([this](Backend& backend) {
    backend.on_lost([this](const NodeRef& node, const std::string& reason) {
      if (const auto host = host_of(node.job)) host->lost(node.node, reason);
    });
    backend.on_remark([this](const JobId& job, const std::string& sentence) {
      const auto found = live_.find(job);
      if (found != live_.end() && !found->second->done()) found->second->remark(sentence);
    });
  });
  for (JobRecord& record : ports_.store.list()) records_[record.id] = std::move(record);
  // Whoever started us is on the way with a first call.
  if (self_.idle > Duration(0)) stay_for(std::max(self_.idle, kFirstCall));
}

Controller::~Controller() {
  *alive_ = false;
  for (const auto& [job, coordinator] : live_) {
    if (coordinator->done()) static_cast<void>(close_books(job));
  }
  ports_.loop.cancel(idle_timer_);
  ports_.loop.cancel(queue_timer_);
  ports_.loop.cancel(retention_timer_);
}

void Controller::host(const JobId& job, JobFold fold, JobSecrets secrets) {
  Backend& backend = *ports_.backends.find(fold.submission().spec.backend);
  auto coordinator = std::make_shared<Coordinator>(
      CoordinatorPorts{ports_.loop, backend, ports_.store, ports_.output, ports_.keeper, ports_.log}, std::move(fold),
      std::move(secrets), self_.linger);
  coordinator->on_change([this, job] { changed(job); });
  live_[job] = std::move(coordinator);
}

bool Controller::hosts(const Hello& hello) const { return !hello.job.empty() || host_of(hello) != nullptr; }

// One that has ended included, as long as some of its output is still to come.
std::shared_ptr<Coordinator> Controller::host_of(const JobId& job) const {
  if (const auto live = live_.find(job); live != live_.end()) return live->second;
  const auto left = leaving_.find(job);
  return left == leaving_.end() || left->second->has_output() ? nullptr : left->second;
}

std::shared_ptr<Coordinator> Controller::host_of(const Hello& hello) const {
  if (!hello.job.empty()) return host_of(hello.job);
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const auto& each) {
    return each.second->node_of(hello.incarnation).has_value();
  });
  return found == live_.end() ? nullptr : found->second;
}

void Controller::agent_returned(ArrivedAgent agent) {
  if (const auto host = host_of(agent.hello)) return host->agent_returned(std::move(agent));
  // Of a job that runs on, though we may not have it yet: it dials again.
  const auto record = records_.find(agent.hello.job);
  if (record != records_.end() && !record->second.has_ended()) return;
  const bool succeeded = record != records_.end() && record->second.state == to_string(job::Outcome::succeeded);
  send_away(ports_.loop, std::move(agent.channel), "", succeeded);
}

void Controller::stop_all(Duration grace, const std::string& why) {
  const std::map<JobId, std::shared_ptr<Coordinator>> all = live_;
  for (const auto& [job, coordinator] : all) coordinator->happen(job::StopAsked{grace, why});
}

void Controller::changed(const JobId& job) {
  const auto found = live_.find(job);
  if (found == live_.end()) return viewers_.job_changed(job);
  const JobFold& fold = found->second->fold();
  records_[job].state = state_name(fold.state());
  records_[job].ended = fold.state().ended;
  viewers_.job_changed(job);
  if (!found->second->done()) return;
  ports_.loop.post([this, alive = alive_, job] {
    if (*alive) retire(job);
  });
}

// A finished job leaves the live ones at once, and memory when its farewells are said and its viewers have seen the
// end.
void Controller::say_farewell(const JobId& job) {
  auto live = live_.extract(job);
  if (live.empty()) return;
  leaving_[job] = std::move(live.mapped());
  forget_later(job);
}

void Controller::forget_later(const JobId& job) {
  ports_.loop.at(ports_.loop.now() + kFarewell, [this, alive = alive_, job] {
    const auto found = *alive ? leaving_.find(job) : leaving_.end();
    if (!*alive || found == leaving_.end()) return;
    found->second->has_output() ? static_cast<void>(leaving_.erase(found)) : forget_later(job);
  });
}

bool Controller::waits_for_output() const {
  return std::any_of(leaving_.begin(), leaving_.end(), [](const auto& left) { return !left.second->has_output(); });
}

// What it had is free; who waits for it, and who waits for its end, go before our own books.
void Controller::retire(const JobId& job) {
  const auto found = live_.find(job);
  if (found == live_.end()) return;
  found->second->backend().unclaim(job);
  admit_queued();
  settle_after(kSettle, job);
}

void Controller::settle_after(Duration time, const JobId& job) {
  ports_.loop.at(ports_.loop.now() + time, [this, alive = alive_, time, job] {
    if (!*alive || live_.count(job) == 0 || settle(job)) return;
    if (time == kSettle) ports_.log.error(records_[job].name + " has ended, which cannot be written down yet");
    settle_after(kBeat, job);
  });
}

// False: the disk is full, and who forgot the job now would find it unfinished on the next start.
bool Controller::close_books(const JobId& job) {
  if (!live_.at(job)->kept() || !measure(job)) return false;
  // Nobody will ever need them again. Not ok: they stay until the job is removed.
  static_cast<void>(ports_.store.write_private(job, kSecretsFile, encode_secrets({})));
  return true;
}

bool Controller::settle(const JobId& job) {
  if (!close_books(job)) return false;
  say_farewell(job);
  ports_.store.disown(job);
  keep_bounded();
  used();
  return true;
}

Result<std::shared_ptr<JobFold>> Controller::read_cold(const JobId& job) {
  const Result<std::vector<std::string>> lines = ports_.store.read(job);
  if (!lines.ok()) return lines.status();
  Result<JobFold> fold = JobFold::replay(*lines);
  if (!fold.ok()) return fold.status();
  return std::make_shared<JobFold>(std::move(*fold));
}

Result<JobView> Controller::view_of(const JobId& job) {
  if (const auto found = live_.find(job); found != live_.end()) return found->second->view();
  const Result<std::shared_ptr<JobFold>> fold = read_cold(job);
  if (!fold.ok()) return fold.status();
  JobView view = (*fold)->view();
  view.waits_for = waits_elsewhere(**fold);
  return view;
}

std::vector<JobView> Controller::list(const ListRequest& request) {
  used();
  refresh_records();
  if (request.measure) {
    for (const auto& [id, coordinator] : live_) coordinator->measure_until(ports_.loop.now() + kMeasured);
  }
  std::vector<const JobRecord*> listed = by_age(records_);
  if (!request.all) keep_recent(listed, ports_.loop.now());
  std::vector<JobView> views;
  for (const JobRecord* record : listed) {
    if (Result<JobView> view = view_of(record->id); view.ok()) views.push_back(std::move(*view));
  }
  return views;
}

// Most calls name a job by its id: a look into the store, where jobs of other hosts appear, is for the others.
Result<JobId> Controller::find(const std::string& reference) {
  used();
  for (const auto& [id, coordinator] : live_) {
    if (id.text() == reference) return id;
  }
  refresh_records();
  if (Result<JobId> found = find_job(records_, reference); found.ok()) return found;
  // Others in this process write to the store as well: a deputy its copy of a job.
  read_records();
  return find_job(records_, reference);
}

// Ok: it has ended. A job that is neither live here nor over has a host of its own.
Status Controller::refuse_running(const JobId& job) {
  const JobRecord& record = records_[job];
  if (record.has_ended()) return Status();  // perhaps live, waiting for its disk
  const std::string& name = record.name;
  if (live_.count(job) > 0)
    return Status(Code::failed_precondition, name + " is " + record.state + "; stop it first: muster stop " + name);
  const Result<std::shared_ptr<JobFold>> fold = read_cold(job);
  if (!fold.ok() || (*fold)->state().phase == job::Phase::done) return Status();
  return Status(
      Code::failed_precondition,
      name +
          " runs inside the command that started it (muster torchrun, muster run --standalone); interrupt that "
          "one to stop it");
}

Result<JobView> Controller::describe(const DescribeRequest& request) {
  const Result<JobId> id = find(request.job);
  if (!id.ok()) return id.status();
  const auto live = request.examine ? live_.find(*id) : live_.end();
  if (live != live_.end()) live->second->examine_until(ports_.loop.now() + kExamined);
  return view_of(*id);
}

Status Controller::stop(const std::string& job, int signal, Duration grace) {
  const Result<JobId> id = find(job);
  if (!id.ok()) return id.status();
  const auto found = live_.find(*id);
  if (found == live_.end() || found->second->done()) {
    if (const Status running = refuse_running(*id); !running.ok()) return running;
    const Result<JobView> view = view_of(*id);
    const std::string state = view.ok() ? view->state : records_[*id].state;
    return Status(Code::failed_precondition, records_[*id].name + " has already " +
                                                 (state == "cancelled" ? "been cancelled" : state) +
                                                 "; muster describe " + records_[*id].name + " shows how");
  }
  const std::shared_ptr<Coordinator> coordinator = found->second;
  const Duration given = grace < Duration(0) ? coordinator->fold().submission().spec.timeouts.stop : grace;
  const bool kill = signal == SIGKILL;
  coordinator->happen(job::StopAsked{kill ? Duration(0) : given, kill ? "killed by the user" : "stopped by the user",
                                     kill ? SIGTERM : signal});
  return Status();
}

Status Controller::remove(const std::string& job) {
  const Result<JobId> id = find(job);
  if (!id.ok()) return id.status();
  if (const Status running = refuse_running(*id); !running.ok()) return running;
  if (const auto host = host_of(*id)) host->forget_output();
  const Status removed = ports_.store.remove(*id);
  if (!removed.ok()) return removed;
  records_.erase(*id);
  say_farewell(*id);
  return removed;
}

Status Controller::type(const TtyBytes& typed) {
  const Result<JobId> id = find(typed.job);
  if (!id.ok()) return id.status();
  const auto found = live_.find(*id);
  if (found == live_.end()) return Status(Code::failed_precondition, records_[*id].name + " has ended");
  found->second->type(TtyInput{typed.index, typed.bytes, typed.rows, typed.columns});
  return Status();
}

ControllerInfo Controller::info() {
  used();
  self_.info.live_jobs = static_cast<uint32_t>(
      std::count_if(live_.begin(), live_.end(), [](const auto& each) { return !each.second->done(); }));
  self_.info.idle_agents = ports_.backends.local().idle_agents();
  return self_.info;
}

uint32_t Controller::end_idle_agents() {
  used();
  return ports_.backends.local().end_idle_agents();
}

Status Controller::shutdown(bool force) {
  std::vector<std::string> names;
  for (const auto& [id, coordinator] : live_) {
    if (!coordinator->done()) names.push_back(records_[id].name);
  }
  if (!names.empty() && !force) {
    return Status(Code::failed_precondition, count_of(names.size(), "job") + " still live: " + short_list(names, 5));
  }
  leave_soon();
  return Status();
}

void Controller::leave() {
  if (leave_) std::exchange(leave_, nullptr)();
}

// In a turn of its own: the answer goes out first.
void Controller::leave_soon() {
  ports_.loop.post([this, alive = alive_] {
    if (*alive) leave();
  });
}

void Controller::follow(const FollowRequest& request, std::unique_ptr<FollowSink> sink) {
  const Result<JobId> id = find(request.job);
  if (!id.ok()) return sink->finish(id.status());
  FollowedJob followed;
  followed.id = *id;
  if (const auto host = host_of(*id)) {
    followed.live = host;
  } else {
    Result<std::shared_ptr<JobFold>> fold = read_cold(*id);
    if (!fold.ok()) return sink->finish(fold.status());
    followed.cold = std::move(*fold);
    followed.read_again = [this, job = *id] {
      refresh_records();  // its host may have died
      return read_cold(job);
    };
  }
  viewers_.add(std::move(followed), request, std::move(sink));
}

void Controller::used() {
  used_at_ = ports_.loop.now();
  if (self_.idle > Duration(0)) stay_for(self_.idle);
}

void Controller::stay_for(Duration time) {
  ports_.loop.cancel(idle_timer_);
  idle_timer_ = ports_.loop.at(ports_.loop.now() + time, [this] { check_idle(); });
}

void Controller::check_idle() {
  if (!live_.empty() || !viewers_.empty() || waits_for_output()) return used();
  const std::vector<IdleAgent> idle = ports_.backends.local().idle_agents();
  const bool warm = std::any_of(idle.begin(), idle.end(), [](const IdleAgent& agent) { return !agent.warm.empty(); });
  if (warm && ports_.loop.now() - used_at_ < self_.warm_idle) return stay_for(self_.idle);
  ports_.log.info("nothing to do for " + format_duration(self_.idle) + ": leaving");
  leave();
}

}  // namespace muster
