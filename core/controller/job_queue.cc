// SPDX-License-Identifier: Apache-2.0
#include "core/controller/job_queue.h"

#include <algorithm>

#include "core/job/plan/host_room.h"

namespace muster {
namespace {

// The interval at which this machine is checked: other processes do not tell us when they release something.
constexpr Duration kLookAtMachine = std::chrono::seconds(1);
// The interval at which other hosts are asked.
constexpr Duration kAskHosts = std::chrono::seconds(10);
// Time until the next try if another controller is claiming something at the same time.
constexpr Duration kClaimAgain = std::chrono::milliseconds(50);

// All names and identities of the hosts.
std::set<std::string> names_of(const std::vector<JobHost>& hosts) {
  std::set<std::string> names;
  for (const JobHost& host : hosts) {
    names.insert(host.name);
    if (!host.identity.empty()) names.insert(host.identity);
  }
  return names;
}

queue::Act act_of(ArrangeRequest::Act act) {
  switch (act) {
    case ArrangeRequest::Act::hold: return queue::Act::hold;
    case ArrangeRequest::Act::release: return queue::Act::release;
    case ArrangeRequest::Act::first: return queue::Act::first;
    case ArrangeRequest::Act::last: return queue::Act::last;
    case ArrangeRequest::Act::before: return queue::Act::before;
    case ArrangeRequest::Act::after: return queue::Act::after;
    case ArrangeRequest::Act::stay: return queue::Act::stay;
  }
  return queue::Act::stay;
}

}  // namespace

JobQueue::JobQueue(const ControllerPorts& ports, JobTable& jobs) : ports_(ports), jobs_(jobs) {}

JobQueue::~JobQueue() {
  *alive_ = false;
  ports_.loop.cancel(timer_);
}

// Removes the jobs that have left the queue, and returns the others.
std::vector<queue::Waiting> JobQueue::waiting() {
  std::erase_if(waiting_, [&](const JobId& id) {
    const std::shared_ptr<Coordinator> coordinator = jobs_.live(id);
    return !coordinator || coordinator->fold().state().phase != job::Phase::queued;
  });
  std::vector<queue::Waiting> waiting;
  for (const JobId& id : waiting_) {
    const Coordinator& job = *jobs_.live(id);
    const Submission& submission = job.fold().submission();
    waiting.push_back({id, submission.name, job.fold().submitted(), job.fold().place(),
                       needs_on_hosts(submission.plan, submission.hosts), job.origin().cuda_visible_devices,
                       submission.spec.busy_gpus == BusyGpus::take});
  }
  return waiting;
}

// The devices and CPUs that the running jobs of one backend hold.
std::vector<Holder> JobQueue::holders(const Backend& of) const {
  std::vector<Holder> held;
  for (const auto& [id, other] : jobs_.live()) {
    const job::Phase phase = other->fold().state().phase;
    if (!(other->backend() == of) || phase == job::Phase::queued || phase == job::Phase::done) continue;
    const Submission& submission = other->fold().submission();
    for (Holder& holder : holders_on_hosts(submission.name, submission.plan, submission.hosts))
      held.push_back(std::move(holder));
  }
  return held;
}

std::string JobQueue::waits_elsewhere(const JobFold& fold) const {
  const Submission& submission = fold.submission();
  if (!submission.standalone || fold.state().phase != job::Phase::queued) return "";
  const queue::Waiting job{submission.id,
                           submission.name,
                           fold.submitted(),
                           fold.place(),
                           needs_of(submission.plan),
                           std::nullopt,
                           submission.spec.busy_gpus == BusyGpus::take};
  const Backend& local = ports_.backends.local();
  const std::optional<Room> room = room_of(local, job.needs.gpus > 0 && !job.takes_busy);
  if (!room) return "";
  std::vector<Holder> held = holders(local);
  held.insert(held.end(), room->others.begin(), room->others.end());
  const queue::Decision decision = queue::decide(room->machine, std::move(held), {job});
  return decision.waits.empty() ? "the command that runs it" : decision.waits.front().second;
}

// unavailable: the job cannot start now; the message says what it waits for.
Status JobQueue::start(const JobId& job, const std::vector<Holder>& others) {
  // A copy: the events below may end the job at once.
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(job);
  const Submission& submission = coordinator->fold().submission();
  const Backend& backend = coordinator->backend();
  std::vector<Holder> held = holders(backend);
  const bool takes_busy = submission.spec.busy_gpus == BusyGpus::take;
  for (const Holder& other : queue::in_its_way(others, takes_busy)) held.push_back(other);
  const Result<Plan> plan = backend.planning.plan(submission.spec, held, coordinator->origin());
  Status status = plan.ok() || plan.status().code() == Code::unavailable ? plan.status() : Status();
  if (status.ok()) {
    const Status claimed = claim(backend, coordinator->on_nodes(plan.ok() ? *plan : submission.plan, false));
    // Other failures are ignored: the agents will report what is missing.
    if (claimed.code() == Code::unavailable) status = claimed;
  }
  coordinator->waits_for(status.ok() ? "" : status.message(), 1);
  if (!status.ok()) return status;
  if (plan.ok()) coordinator->replan(*plan);
  coordinator->happen(job::Admitted{});
  return status;
}

void JobQueue::admit() {
  ports_.loop.cancel(timer_);
  timer_ = 0;
  std::vector<queue::Waiting> here;
  std::vector<queue::Waiting> on_hosts;
  for (queue::Waiting& job : waiting()) {
    const bool local = jobs_.live(job.id)->backend() == ports_.backends.local();
    (local ? here : on_hosts).push_back(std::move(job));
  }
  if (!here.empty()) admit_here(std::move(here));
  if (!on_hosts.empty()) admit_on_hosts(std::move(on_hosts));
}

void JobQueue::admit_here(std::vector<queue::Waiting> jobs) {
  const bool gpus = std::any_of(jobs.begin(), jobs.end(), [](const queue::Waiting& job) {
    return job.needs.gpus > 0 && !job.takes_busy && job.place.held_by.empty();
  });
  const Backend& local = ports_.backends.local();
  const std::optional<Room> room = room_of(local, gpus);
  std::vector<Holder> held = holders(local);
  if (room) held.insert(held.end(), room->others.begin(), room->others.end());
  // If jobs need not wait for one another, none of them needs anything.
  for (queue::Waiting& job : jobs) {
    if (!room) job.needs = Needs();
  }
  const queue::Decision decision = queue::decide(room ? room->machine : Inventory(), std::move(held), std::move(jobs));
  const std::vector<Holder> others = room ? room->others : std::vector<Holder>();
  for (const queue::Start& job : decision.starts) {
    if (!start(job.id, others).ok()) return admit_again(kClaimAgain);
  }
  uint32_t place = 0;
  for (const auto& [id, what] : decision.waits) jobs_.live(id)->waits_for(what, ++place);
  if (!decision.waits.empty() && !others.empty()) admit_again(kLookAtMachine);
}

// Admits the jobs with hosts of their own.
void JobQueue::admit_on_hosts(std::vector<queue::Waiting> jobs) {
  queue::sort(jobs);
  queue::HostTurns turns;
  uint32_t place = 0;
  for (queue::Waiting& job : jobs) {
    const std::shared_ptr<Coordinator> coordinator = jobs_.live(job.id);
    std::set<std::string> hosts = names_of(coordinator->fold().submission().hosts);
    const std::string held = queue::held_back(job);
    std::string why = held.empty() ? turns.behind(job, hosts) : held;
    if (why.empty()) {
      const Status started = start_on_hosts(job.id);
      if (started.ok()) continue;
      why = started.message();
    }
    coordinator->waits_for(why, ++place);
    if (held.empty()) turns.wait(std::move(job), std::move(hosts));
  }
}

Status JobQueue::start_on_hosts(const JobId& job) {
  const std::shared_ptr<Coordinator> coordinator = jobs_.live(job);
  const Submission& submission = coordinator->fold().submission();
  const Needs needs = needs_of(submission.plan);
  if (needs.empty()) return start(job, {});
  const auto others = others_on(coordinator->backend(), coordinator->on_nodes(submission.plan, false),
                                coordinator->fold().submitted(), [this, alive = alive_] {
                                  if (*alive) admit();
                                });
  if (!others) {
    const std::string before = coordinator->view().waits_for;
    return Status(Code::unavailable, before.empty() ? "its hosts to report what is free on them" : before);
  }
  const Status started = start(job, *others);
  if (!started.ok() && !others->empty()) admit_again(kAskHosts);
  return started;
}

// If called repeatedly, the earliest time counts.
void JobQueue::admit_again(Duration after) {
  const TimePoint due = ports_.loop.now() + after;
  if (timer_ != 0 && due_ <= due) return;
  ports_.loop.cancel(timer_);
  due_ = due;
  timer_ = ports_.loop.at(due, [this] { admit(); });
}

// Ok: the job is queued.
Status JobQueue::refuse_unqueued(const JobId& job) {
  if (waiting_.count(job) > 0) return Status();
  const JobRecord& record = jobs_.records()[job];
  if (record.has_ended()) return Status(Code::failed_precondition, record.name + " has ended, so it is not queued");
  if (!jobs_.is_live(job))
    return Status(Code::failed_precondition, record.name +
                                                 " runs inside its own command (muster run --standalone) and is not "
                                                 "queued, so it cannot be held or moved");
  return Status(Code::failed_precondition, record.name + " is " + record.state +
                                               ": only a queued job can be held or moved; muster stop " + record.name +
                                               " stops it");
}

Status JobQueue::arrange(const JobId& job, const ArrangeRequest& request, const Find& find) {
  const std::vector<queue::Waiting> jobs = waiting();
  if (const Status refused = refuse_unqueued(job); !refused.ok()) return refused;
  queue::Order order{job, act_of(request.act), {}, request.priority, request.by};
  if (order.act == queue::Act::before || order.act == queue::Act::after) {
    const Result<JobId> other = find(request.other);
    if (!other.ok()) return other.status();
    if (const Status refused = refuse_unqueued(*other); !refused.ok()) return refused;
    order.other = *other;
  }
  const auto changes = queue::arrange(jobs, order, ports_.loop.now());
  if (!changes.ok()) return changes.status();
  for (const queue::Change& change : *changes) jobs_.live(change.id)->arrange({change.place, change.sentence});
  admit();
  return Status();
}

}  // namespace muster
