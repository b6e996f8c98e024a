// SPDX-License-Identifier: Apache-2.0
#include "core/controller/controller.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/controller/damaged_job.h"
#include "core/port/dismiss_agent.h"

namespace muster {
namespace {

// `ps` without -a shows jobs that ended this recently.
constexpr Duration kRecent = std::chrono::hours(1);
// Bytes of specs in a list, so that it is one message. The other jobs are listed without their specs.
constexpr size_t kMostListedSpecs = 32 << 20;
// The time for which the use of CPU and memory is measured after a request.
constexpr Duration kMeasured = std::chrono::seconds(5);
// The time for which ranks are examined after a request.
constexpr Duration kExamined = std::chrono::seconds(3);

// Drops the ended jobs that are not recent, and recent ones beyond the newest kMostEndedListed. The oldest is first.
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
      jobs_(ports_, self_.linger, [this](const JobId& job) { changed(job); }),
      queue_(ports_, jobs_),
      intake_(ports_, jobs_, queue_, {self_.seed, !self_.linger}, [this] { leave_soon(); }),
      takeover_(ports_, jobs_, queue_),
      ended_(ports_, jobs_, takeover_, self_.retention),
      viewers_(ports_.loop, ports_.output, [this] { idle_.used(); }),
      idle_(
          ports_, {self_.idle, self_.warm_idle}, [this] { return is_busy(); }, [this] { this->leave(); }),
      closer_(ports_, jobs_, queue_, ended_, [this] { idle_.used(); }) {
  ports_.backends.each([this](const Backend& backend) {
    backend.placement.on_lost([this](const NodeRef& node, const std::string& reason) {
      if (const auto host = jobs_.host_of(node.job)) host->lost(node.node, reason);
    });
    if (backend.reach == nullptr) return;
    backend.reach->on_remark([this](const JobId& job, const std::string& sentence) {
      const std::shared_ptr<Coordinator> coordinator = jobs_.live(job);
      if (coordinator && !coordinator->done()) coordinator->remark(sentence);
    });
  });
}

Controller::~Controller() { *alive_ = false; }

void Controller::recover() {
  takeover_.begin();
  queue_.admit();
  ended_.begin();
}

bool Controller::hosts(const Hello& hello) const { return !hello.job.empty() || jobs_.host_of(hello) != nullptr; }

void Controller::agent_returned(ArrivedAgent agent) {
  if (!jobs_.host_of(agent.hello)) takeover_.refresh();  // the process that hosted its job may have ended
  if (const auto host = jobs_.host_of(agent.hello)) return host->agent_returned(std::move(agent));
  // The job has not ended but is not hosted here yet: the channel is closed, and the agent dials again.
  const auto record = jobs_.records().find(agent.hello.job);
  const bool known = record != jobs_.records().end();
  if (known && !record->second.has_ended()) return;
  const bool succeeded = known && record->second.state == to_string(job::Outcome::succeeded);
  dismiss_agent(ports_.loop, std::move(agent.channel), "", succeeded);
}

void Controller::stop_all(Duration grace, const std::string& why) {
  const JobTable::Live all = jobs_.live();
  for (const auto& [job, coordinator] : all) coordinator->happen(job::StopAsked{grace, why});
}

void Controller::changed(const JobId& job) {
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(job);
  if (!coordinator) return viewers_.job_changed(job);
  const job::State& state = coordinator->fold().state();
  JobRecord& record = jobs_.records()[job];
  record.state = state_name(state);
  record.ended = state.ended;
  viewers_.job_changed(job);
  if (!coordinator->done()) return;
  ports_.loop.post([this, alive = alive_, job] {
    if (*alive) closer_.ended(job);
  });
}

// Most calls name a job by its id. For other references, the store is read, which also has the jobs of other processes.
Result<JobId> Controller::find(const std::string& reference) {
  idle_.used();
  for (const auto& [id, coordinator] : jobs_.live()) {
    if (id.text() == reference) return id;
  }
  takeover_.refresh();
  if (Result<JobId> found = find_job(jobs_.records(), reference); found.ok()) return found;
  // Other parts of this process write to the store as well: a coordinator proxy writes its copy of a job.
  jobs_.read_records();
  return find_job(jobs_.records(), reference);
}

Result<JobView> Controller::view_of(const JobId& job) {
  if (const auto coordinator = jobs_.live(job)) return coordinator->view();
  const JobRecord& record = jobs_.records()[job];
  const Result<std::shared_ptr<JobFold>> fold = jobs_.read(job);
  if (fold.status().code() == Code::not_found) return fold.status();
  if (!fold.ok()) return unreadable_view(record, fold.status());
  JobView view = (*fold)->view();
  view.waits_for = queue_.waits_elsewhere(**fold);
  complete_view(view, record);
  return view;
}

void Controller::submit(const SubmitRequest& request, std::function<void(Result<JobView>)> done) {
  idle_.used();
  const Result<JobId> id = intake_.accept(request);
  if (!id.ok()) return done(id.status());
  if (self_.answers_at_once) return done(confirmed(*id));
  // In a later turn: the first desired state to a waiting agent has been sent by then, and one flush serves for both.
  ports_.loop.post([this, alive = alive_, id = *id, done = std::move(done)] {
    if (*alive) done(confirmed(id));
  });
}

Result<JobView> Controller::confirmed(const JobId& job) {
  if (const Status durable = intake_.confirm(job); !durable.ok()) return durable;
  return view_of(job);
}

std::vector<JobView> Controller::list(const ListRequest& request) {
  idle_.used();
  takeover_.refresh();
  if (request.measure) {
    for (const auto& [id, coordinator] : jobs_.live()) coordinator->measure_until(ports_.loop.now() + kMeasured);
  }
  std::vector<const JobRecord*> listed = by_age(jobs_.records());
  if (!request.all) keep_recent(listed, ports_.loop.now());
  std::vector<JobView> views;
  size_t bytes = 0;
  for (const JobRecord* record : listed) {
    Result<JobView> view = view_of(record->id);
    if (!view.ok()) continue;
    view->manifest.clear();
    bytes += view->spec_json.size();
    if (bytes > kMostListedSpecs) view->spec_json.clear();
    views.push_back(std::move(*view));
  }
  return views;
}

Result<JobView> Controller::describe(const DescribeRequest& request) {
  const Result<JobId> id = find(request.job);
  if (!id.ok()) return id.status();
  const std::shared_ptr<Coordinator> examined = request.examine ? jobs_.live(*id) : nullptr;
  if (examined) examined->examine_until(ports_.loop.now() + kExamined);
  return view_of(*id);
}

void Controller::follow(const FollowRequest& asked, std::unique_ptr<FollowSink> sink) {
  const Result<JobId> id = find(asked.job);
  if (!id.ok()) return sink->finish(id.status());
  FollowRequest request = asked;
  FollowedJob followed;
  followed.id = *id;
  if (const auto host = jobs_.host_of(*id)) {
    followed.live = host;
  } else {
    Result<std::shared_ptr<JobFold>> fold = jobs_.read(*id);
    if (!fold.ok()) return sink->finish(fold.status());
    followed.cold = std::move(*fold);
    // If the journal has no end although the job has ended, it is damaged, and nothing will follow.
    if (jobs_.records()[*id].has_ended()) request.follow = false;
    followed.read_again = [this, job = *id] {
      takeover_.refresh();  // the process that hosts it may have died
      return jobs_.read(job);
    };
  }
  viewers_.add(std::move(followed), request, std::move(sink));
}

Status Controller::stop(const std::string& job, int signal, Duration grace) {
  const Result<JobId> id = find(job);
  if (!id.ok()) return id.status();
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(*id);
  if (!coordinator || coordinator->done()) {
    if (const Status running = jobs_.refuse_running(*id); !running.ok()) return running;
    const Result<JobView> view = view_of(*id);
    const JobRecord& record = jobs_.records()[*id];
    const std::string state = view.ok() ? view->state : record.state;
    return Status(Code::failed_precondition, record.name + " has already " +
                                                 (state == "cancelled" ? "been cancelled"
                                                  : state == kDamaged  ? "ended"
                                                                       : state) +
                                                 "; muster describe " + record.name + " shows the result");
  }
  const Duration given = grace < Duration(0) ? coordinator->fold().submission().spec.timeouts.stop : grace;
  const bool kill = signal == SIGKILL;
  coordinator->happen(job::StopAsked{kill ? Duration(0) : given, kill ? "killed by the user" : "stopped by the user",
                                     kill ? SIGTERM : signal});
  return Status();
}

Result<JobView> Controller::arrange(const ArrangeRequest& request) {
  const Result<JobId> id = find(request.job);
  if (!id.ok()) return id.status();
  const Status arranged = queue_.arrange(*id, request, [this](const std::string& word) { return find(word); });
  if (!arranged.ok()) return arranged;
  return view_of(*id);
}

Status Controller::remove(const std::string& job) {
  const Result<JobId> id = find(job);
  if (!id.ok()) return id.status();
  if (const Status running = jobs_.refuse_running(*id); !running.ok()) return running;
  if (const auto host = jobs_.host_of(*id)) host->forget_output();
  const Status removed = ports_.store.remove(*id);
  if (!removed.ok()) return removed;
  jobs_.records().erase(*id);
  jobs_.dismiss(*id);
  return removed;
}

// Jobs that have just ended are included.
Result<Pruned> Controller::prune(const PruneRequest& request) {
  idle_.used();
  closer_.close_ended();
  takeover_.refresh();
  return ended_.prune(request);
}

Status Controller::type(const TtyBytes& typed) {
  const Result<JobId> id = find(typed.job);
  if (!id.ok()) return id.status();
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(*id);
  if (!coordinator) return Status(Code::failed_precondition, jobs_.records()[*id].name + " has ended");
  coordinator->type(TtyInput{typed.index, typed.bytes, typed.rows, typed.columns});
  return Status();
}

Status Controller::note_code(const std::string& job, const std::string& commit) {
  const Result<JobId> id = find(job);
  if (!id.ok()) return id.status();
  if (const auto coordinator = jobs_.live(*id)) return coordinator->note_code(commit), Status();
  if (!ports_.store.own(*id)) return Status(Code::failed_precondition, "another process runs this job");
  const Status noted = ports_.store.append(*id, encode_line({ports_.loop.now(), CodeNoted{commit}}), false);
  ports_.store.disown(*id);
  return noted;
}

Status Controller::exec_refusal(const JobId& job) {
  const std::string& name = jobs_.records()[job].name;
  if (!jobs_.refuse_running(job).ok())
    return Status(Code::failed_precondition,
                  name +
                      " runs inside its own command on another machine: use muster exec on the host of its "
                      "first rank");
  return Status(Code::failed_precondition,
                name + " has ended, so it has no running rank; muster logs " + name + " shows its output");
}

void Controller::exec(const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
  const Result<JobId> id = find(start.job);
  if (!id.ok()) return refuse_exec(*viewer, id.status());
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(*id);
  if (!coordinator || coordinator->done()) return refuse_exec(*viewer, exec_refusal(*id));
  coordinator->exec(start, std::move(viewer));
}

ControllerInfo Controller::info() {
  idle_.used();
  self_.info.live_jobs = static_cast<uint32_t>(
      std::count_if(jobs_.live().begin(), jobs_.live().end(), [](const auto& each) { return !each.second->done(); }));
  self_.info.idle_agents = idle_agents_of(ports_.backends.local());
  return self_.info;
}

uint32_t Controller::end_idle_agents() {
  idle_.used();
  IdleAgents* idle = ports_.backends.local().idle;
  return idle == nullptr ? 0 : idle->end_idle_agents();
}

Status Controller::shutdown(bool force) {
  std::vector<std::string> names;
  for (const auto& [id, coordinator] : jobs_.live()) {
    if (!coordinator->done()) names.push_back(jobs_.records()[id].name);
  }
  if (!names.empty() && !force) {
    return Status(Code::failed_precondition, count_of(names.size(), "job") + " not ended yet: " + short_list(names, 5));
  }
  leave_soon();
  return Status();
}

bool Controller::is_busy() const { return !jobs_.live().empty() || !viewers_.empty() || jobs_.waits_for_output(); }

void Controller::leave() {
  if (leave_) std::exchange(leave_, nullptr)();
}

// In a later turn of the loop: the answer is sent first.
void Controller::leave_soon() {
  ports_.loop.post([this, alive = alive_] {
    if (*alive) leave();
  });
}

}  // namespace muster
