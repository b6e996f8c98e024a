// The controller's queue: a job waits until its whole gang fits. What is decided, the queue machine decides.

#include <algorithm>

#include "core/controller/controller.h"
#include "core/job/plan/host_room.h"

namespace muster {
namespace {

// Nobody tells us when others on this machine let go of something.
constexpr Duration kLookAgain = std::chrono::seconds(1);
// Of hosts, which are asked anew then.
constexpr Duration kAskAgain = std::chrono::seconds(10);
// Another controller claims something in this very moment.
constexpr Duration kTryAgain = std::chrono::milliseconds(50);

// All that their hosts are known by.
std::set<std::string> names_of(const std::vector<JobHost>& hosts) {
  std::set<std::string> names;
  for (const JobHost& host : hosts) {
    names.insert(host.name);
    if (!host.identity.empty()) names.insert(host.identity);
  }
  return names;
}

}  // namespace

// Those that left the queue are forgotten here.
std::vector<queue::Waiting> Controller::waiting() {
  std::erase_if(queue_, [&](const JobId& id) {
    const auto found = live_.find(id);
    return found == live_.end() || found->second->fold().state().phase != job::Phase::queued;
  });
  std::vector<queue::Waiting> waiting;
  for (const JobId& id : queue_) {
    const Coordinator& job = *live_.at(id);
    const Submission& submission = job.fold().submission();
    waiting.push_back({id, submission.name, job.fold().submitted(), job.fold().place(),
                       needs_on_hosts(submission.plan, submission.hosts), job.origin().cuda_visible_devices,
                       submission.spec.busy_gpus == BusyGpus::take});
  }
  return waiting;
}

// Jobs of other backends run elsewhere.
std::vector<Holder> Controller::holders(const Backend& of) const {
  std::vector<Holder> held;
  for (const auto& [id, other] : live_) {
    const job::Phase phase = other->fold().state().phase;
    if (&other->backend() != &of || phase == job::Phase::queued || phase == job::Phase::done) continue;
    const Submission& submission = other->fold().submission();
    for (Holder& holder : holders_on_hosts(submission.name, submission.plan, submission.hosts))
      held.push_back(std::move(holder));
  }
  return held;
}

// Of a job that its own command (run --standalone) starts: what is missing here, as far as it can be seen from outside.
std::string Controller::waits_elsewhere(const JobFold& fold) {
  const Submission& submission = fold.submission();
  if (!submission.standalone || fold.state().phase != job::Phase::queued) return "";
  const queue::Waiting job{submission.id,
                           submission.name,
                           fold.submitted(),
                           fold.place(),
                           needs_of(submission.plan),
                           std::nullopt,
                           submission.spec.busy_gpus == BusyGpus::take};
  Backend& local = ports_.backends.local();
  const std::optional<Room> room = local.room(job.needs.gpus > 0 && !job.takes_busy);
  if (!room) return "";
  std::vector<Holder> held = holders(local);
  held.insert(held.end(), room->others.begin(), room->others.end());
  const queue::Decision decision = queue::decide(room->machine, std::move(held), {job});
  return decision.waits.empty() ? "its own command, which starts it" : decision.waits.front().second;
}

// unavailable: not now after all, with what it waits for.
Status Controller::start(const JobId& job, const std::vector<Holder>& others) {
  // Copied: what happens may end the job at once.
  const std::shared_ptr<Coordinator> coordinator = live_.at(job);
  const Submission& submission = coordinator->fold().submission();
  Backend& backend = coordinator->backend();
  std::vector<Holder> held = holders(backend);
  const bool takes_busy = submission.spec.busy_gpus == BusyGpus::take;
  for (const Holder& other : queue::in_its_way(others, takes_busy)) held.push_back(other);
  const Result<Plan> plan = backend.plan(submission.spec, held, coordinator->origin());
  Status status = plan.ok() || plan.status().code() == Code::unavailable ? plan.status() : Status();
  if (status.ok()) {
    const Status claimed = backend.claim(coordinator->on_nodes(plan.ok() ? *plan : submission.plan, false));
    // Else nobody can tell anything here, and agents will say what they miss.
    if (claimed.code() == Code::unavailable) status = claimed;
  }
  coordinator->waits_for(status.ok() ? "" : status.message(), 1);
  if (!status.ok()) return status;
  if (plan.ok()) coordinator->replan(*plan);
  coordinator->happen(job::Admitted{});
  return status;
}

void Controller::admit_queued() {
  ports_.loop.cancel(queue_timer_);
  queue_timer_ = 0;
  std::vector<queue::Waiting> here;
  std::vector<queue::Waiting> on_hosts;
  for (queue::Waiting& job : waiting()) {
    const bool local = &live_.at(job.id)->backend() == &ports_.backends.local();
    (local ? here : on_hosts).push_back(std::move(job));
  }
  if (!here.empty()) admit_here(std::move(here));
  if (!on_hosts.empty()) admit_on_hosts(std::move(on_hosts));
}

void Controller::admit_here(std::vector<queue::Waiting> jobs) {
  const bool gpus = std::any_of(jobs.begin(), jobs.end(), [](const queue::Waiting& job) {
    return job.needs.gpus > 0 && !job.takes_busy && job.place.held_by.empty();
  });
  Backend& local = ports_.backends.local();
  const std::optional<Room> room = local.room(gpus);
  std::vector<Holder> held = holders(local);
  if (room) held.insert(held.end(), room->others.begin(), room->others.end());
  // Where jobs need not wait for one another none needs anything.
  for (queue::Waiting& job : jobs) {
    if (!room) job.needs = Needs();
  }
  const queue::Decision decision = queue::decide(room ? room->machine : Inventory(), std::move(held), std::move(jobs));
  const std::vector<Holder> others = room ? room->others : std::vector<Holder>();
  for (const queue::Start& job : decision.starts) {
    if (!start(job.id, others).ok()) return admit_again(kTryAgain);
  }
  uint32_t place = 0;
  for (const auto& [id, what] : decision.waits) live_.at(id)->waits_for(what, ++place);
  if (!decision.waits.empty() && !others.empty()) admit_again(kLookAgain);
}

// Jobs that bring their hosts.
void Controller::admit_on_hosts(std::vector<queue::Waiting> jobs) {
  queue::sort(jobs);
  queue::HostTurns turns;
  uint32_t place = 0;
  for (queue::Waiting& job : jobs) {
    const std::shared_ptr<Coordinator> coordinator = live_.at(job.id);
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

// Nobody tells us either when others on hosts let go of something.
Status Controller::start_on_hosts(const JobId& job) {
  const std::shared_ptr<Coordinator> coordinator = live_.at(job);
  const Submission& submission = coordinator->fold().submission();
  const Needs needs = needs_of(submission.plan);
  if (needs.empty()) return start(job, {});
  const auto others = coordinator->backend().others_on(coordinator->on_nodes(submission.plan, false),
                                                       coordinator->fold().submitted(), [this, alive = alive_] {
                                                         if (*alive) admit_queued();
                                                       });
  if (!others) {
    const std::string before = coordinator->view().waits_for;
    return Status(Code::unavailable, before.empty() ? "its hosts to say who has what of them" : before);
  }
  const Status started = start(job, *others);
  if (!started.ok() && !others->empty()) admit_again(kAskAgain);
  return started;
}

// Whoever wants it sooner has it.
void Controller::admit_again(Duration after) {
  const TimePoint due = ports_.loop.now() + after;
  if (queue_timer_ != 0 && queue_due_ <= due) return;
  ports_.loop.cancel(queue_timer_);
  queue_due_ = due;
  queue_timer_ = ports_.loop.at(due, [this] { admit_queued(); });
}

namespace {

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

// Ok: it waits. What has ended is told as such.
Status Controller::refuse_unqueued(const JobId& job) {
  if (queue_.count(job) > 0) return Status();
  const JobRecord& record = records_[job];
  if (record.has_ended()) return Status(Code::failed_precondition, record.name + " has ended: it waits no more");
  if (live_.count(job) == 0)
    return Status(Code::failed_precondition, record.name +
                                                 " belongs to its own command (muster run --standalone), which starts "
                                                 "and ends it: it stands in no queue that could be arranged");
  return Status(Code::failed_precondition, record.name + " is " + record.state +
                                               ": only what waits can be held or moved; muster stop " + record.name +
                                               " stops it");
}

Result<JobView> Controller::arrange(const ArrangeRequest& request) {
  const Result<JobId> id = find(request.job);
  if (!id.ok()) return id.status();
  const std::vector<queue::Waiting> jobs = waiting();
  if (const Status refused = refuse_unqueued(*id); !refused.ok()) return refused;
  queue::Order order{*id, act_of(request.act), {}, request.priority, request.by};
  if (order.act == queue::Act::before || order.act == queue::Act::after) {
    const Result<JobId> other = find(request.other);
    if (!other.ok()) return other.status();
    if (const Status refused = refuse_unqueued(*other); !refused.ok()) return refused;
    order.other = *other;
  }
  const auto changes = queue::arrange(jobs, order, ports_.loop.now());
  if (!changes.ok()) return changes.status();
  for (const queue::Change& change : *changes) live_.at(change.id)->arrange({change.place, change.sentence});
  admit_queued();
  return view_of(*id);
}

}  // namespace muster
