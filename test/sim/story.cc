// SPDX-License-Identifier: Apache-2.0
#include "test/sim/story.h"

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Limit after the last fault: several times the lease, the longest backoff and the longest rank.
constexpr Duration kPatience = minutes(30);
// Limit from the end of the last job until nothing of it is left: an agent that was not dismissed keeps the end of its job for
// 10 min.
constexpr Duration kAfterwards = minutes(11);

TimePoint beginning() { return SimLoop().now(); }

}  // namespace

std::map<watch::Pair, uint64_t>& Story::coverage() {
  static std::map<watch::Pair, uint64_t> pairs;
  return pairs;
}

WorldOptions Story::options_of(const StoryPlan& plan) {
  WorldOptions options;
  options.seed = plan.seed;
  options.answers_at_once = false;
  options.hosts = plan.hosts;
  options.fixed_hosts = plan.fixed_hosts;
  options.shares_files = plan.shares_files;
  return options;
}

Story::Story(const StoryPlan& plan, Trace* trace)
    : plan_(plan),
      trace_(trace),
      world_(options_of(plan)),
      ranks_(world_, plan_),
      injector_(world_, plan_, [this](size_t job) { submit(job); }),
      ids_(plan.jobs.size()),
      done_(plan.jobs.size()),
      ended_(plan.jobs.size()) {
  watch::set_watch(this);
  world_.network.set_longest_delay(plan.longest_delay);
  world_.network.set_patience(plan.patience);
  world_.processes.script([this](const Launch& launch) { return ranks_.script(launch); });
  world_.on_process([this](const std::string& what, ProcessHandle handle, const SimProcesses::Process& process) {
    ranks_.happened(what, handle, process);
  });
  add_exchanges();
  world_.on_note([this](const std::string& what) {
    if (trace_ != nullptr) trace_->add({world_.loop.now() - beginning(), "world", what, "", ""});
  });
  for (size_t job = 0; job < plan_.jobs.size(); ++job)
    world_.loop.at(world_.loop.now() + plan_.jobs[job].at, [this, job] { submit(job); });
  for (const Fault& fault : plan_.faults)
    world_.loop.at(world_.loop.now() + fault.at, [this, fault] {
      if (fault.pick % 4 == 0) check_journals();
      injector_.inject(fault);
    });
}

// Pauses depend only on seed, world, node and round, as RankLife's choices do.
void Story::add_exchanges() {
  exchanges_.pause = [seed = plan_.seed](const MpiTask& task, uint64_t round) {
    Random random(mixed(seed * 31 + round, task.nodes[task.node].name + task.name_space));
    return Duration(milliseconds(random.below(5000)));
  };
  for (SimHost& host : world_.hosts) {
    host.add_services = [this](NodeServiceList& list, Loop& loop) {
      list.push_back(std::make_unique<SimExchange>(loop, exchanges_));
    };
  }
}

Story::~Story() { watch::set_watch(nullptr); }

void Story::breach(const std::string& what) { breaches_.push_back(what); }

// Like a client: repeats the submit until the job is accepted; a repeated key is the same job.
void Story::submit(size_t job) {
  const Duration again = seconds(3);
  if (!world_.has_controller()) {
    world_.loop.at(world_.loop.now() + again, [this, job] { submit(job); });
    return;
  }
  world_.ask_controller([this, job, again](Controller& controller) {
    SubmitRequest request = world_.request_of(plan_.jobs[job].spec, "key-" + std::to_string(job));
    controller.submit(request, [this, job](Result<JobView> view) { submitted(job, view); });
  });
  if (ids_[job].empty())
    world_.loop.at(world_.loop.now() + again, [this, job] {
      if (ids_[job].empty()) submit(job);
    });
}

void Story::submitted(size_t job, const Result<JobView>& view) {
  if (!view.ok()) {
    refusal_ = view.status().message();
    return;
  }
  if (!ids_[job].empty() && ids_[job] != view->id && !world_.store.lost_synced_lines())
    breach(plan_.jobs[job].spec.name + " was accepted twice with one key");
  ids_[job] = view->id;
}

// Empty: every job has ended.
std::string Story::not_done() {
  for (size_t job = 0; job < ids_.size(); ++job) {
    if (done_[job]) continue;
    const std::string& name = plan_.jobs[job].spec.name;
    if (ids_[job].empty()) return name + ", which was not accepted: " + refusal_;
    const Result<JobView> view = world_.controller().describe(ids_[job].text());
    const bool forgotten = world_.store.lost_synced_lines() && (!view.ok() || world_.store.has_ended(ids_[job]));
    if (!view.ok() && !forgotten) return name + ": " + view.status().message();
    if (view.ok() && !view->done && !forgotten) return name + ", which is " + view->state + ": " + view->sentence;
    done_[job] = true;
    if (view.ok()) ended_[job] = *view;
  }
  return "";
}

StoryEnd Story::run() {
  const TimePoint began = world_.loop.now();
  while (world_.loop.now() < began + kFaultWindow) {
    world_.loop.run_for(seconds(2));
    injector_.tick();
  }
  world_.note("all faults are undone");
  injector_.heal();
  const TimePoint end = world_.loop.now() + kPatience;
  std::string waits_for = "the controller";
  while (!waits_for.empty() && world_.loop.now() < end && !world_.loop.spun()) {
    world_.loop.run_for(seconds(5));
    world_.start_controller();  // it may have crashed at its line
    if (world_.has_controller()) waits_for = not_done();
  }
  for (const TimePoint late = world_.loop.now() + kAfterwards; !world_.quiet() && world_.loop.now() < late;)
    world_.loop.run_for(seconds(5));
  if (!waits_for.empty()) breach(format_duration(kPatience) + " after the last fault the story waits for " + waits_for);
  if (world_.loop.spun()) breach("the world spins: some code repeats itself for ever");
  check_end();
  StoryEnd result;
  result.breaches = world_.breaches();
  if (world_.store.lost_synced_lines()) exchanges_.breaches.clear();  // an attempt's number may have been given twice
  const std::array<const std::vector<std::string>*, 4> others{&breaches_, &ranks_.breaches(), &injector_.breaches(),
                                                              &exchanges_.breaches};
  for (const auto* more : others) result.breaches.insert(result.breaches.end(), more->begin(), more->end());
  result.hash = world_.hash();
  result.simulated = (world_.loop.now() - began) * static_cast<int64_t>(world_.hosts.size());
  result.faults = injector_.applied();
  for (const JobRecord& record : world_.store.list()) ++result.ends[record.state];
  result.exchanged = exchanges_.met;
  result.launches = world_.processes.launches().size();
  result.events = world_.loop.turns();
  return result;
}

// A live job must be the same in the controller and in its journal, unless the disk was full.
void Story::check_journals() {
  const bool complete = world_.store.failures() == 0;
  if (!world_.has_controller() || !complete) return;
  for (size_t job = 0; job < ids_.size(); ++job) {
    if (ids_[job].empty() || world_.store.has_ended(ids_[job])) continue;
    const Result<JobView> live = world_.controller().describe(ids_[job].text());
    if (!live.ok()) continue;
    const JobView read = world_.view_from_journal(ids_[job]);
    const bool same = live->state == read.state && live->sentence == read.sentence && live->attempt == read.attempt &&
                      live->restarts == read.restarts && live->attempts == read.attempts;
    if (!same)
      breach(live->name + " is " + live->state + " (" + live->sentence + "), by its journal " + read.state + " (" +
             read.sentence + ")");
  }
}

void Story::check_end() {
  for (size_t job = 0; job < ids_.size(); ++job) {
    const JobView view = ids_[job].empty() ? JobView{} : world_.view(ids_[job].text());
    const bool known = !ids_[job].empty();
    if (known && world_.counted_restarts(ids_[job]) > plan_.jobs[job].spec.restarts.limit)
      breach(view.name + " was restarted too often");
    if (plan_.calm && (view.state != "succeeded" || view.attempt > 1))
      breach(view.name + ", without any fault, reached attempt " + std::to_string(view.attempt) + ": " + view.sentence);
    const bool same = view.done && view.attempts == ended_[job].attempts && view.sentence == ended_[job].sentence;
    if (!same && !world_.store.lost_synced_lines())
      breach(plan_.jobs[job].spec.name + " had another end than its journal says");
  }
  if (!world_.processes.alive().empty()) breach("processes are left");
  if (!world_.agents.all().empty()) breach("agents are left");
  if (!world_.quiet()) breach("ports or devices are held");
  if (const std::string lost = ranks_.lost_output(); !lost.empty() && !world_.store.lost_synced_lines())
    breach("output was lost: " + lost);
}

void Story::stepped(const watch::Pair& pair) { ++coverage()[pair]; }

void Story::job_stepped(const watch::JobStep& step) { world_.check(step); }

void Story::told(const watch::Told& told) {
  const SimLoop::Gate* running = world_.loop.running();
  trace_->add({world_.loop.now() - beginning(), running != nullptr ? running->name() : "world",
               (told.machine == "job" ? world_.name_of(told.seed) + ": " : "") + told.event, told.actions,
               told.sentence});
}

}  // namespace muster::sim
