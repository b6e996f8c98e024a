// Agent, its watch over the ranks: when it looks, what it tells of that, and the timers that they set themselves. And how
// long it waits for who should hear of them.
#include "core/agent/agent.h"
#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kMostOfScope = 120;   // in a sentence
constexpr size_t kMostOfSocket = 107;  // of a socket's path (unix(7))
constexpr const char* kTorchSocket = "TORCH_WORKER_SERVER_SOCKET";

// How long the end of a job is kept for a controller that does not come back.
constexpr Duration kAlonePatience = std::chrono::hours(24);
// The same where what its ranks printed is there alone.
constexpr Duration kOutputPatience = std::chrono::hours(14 * 24);
// The same where the node was given up long before.
constexpr Duration kEndedPatience = std::chrono::minutes(10);
// An unbound agent that nobody takes ends: its controller died while placing it.
constexpr Duration kUnboundPatience = std::chrono::seconds(30);
// In a pod: its coordinator's may be long in coming …
constexpr Duration kPodPatience = std::chrono::hours(24 * 3650);
// … and long in coming again, to whom nobody else can tell the job.
constexpr Duration kPodEndedPatience = std::chrono::hours(1);
// For the coordinator to hear of a drain.
constexpr Duration kLeaveFarewell = std::chrono::seconds(1);

}  // namespace

void Agent::look_at_ranks() {
  if (!ranks_) return;
  std::vector<WatchedRank> watched;
  for (RankSet::Running& rank : ranks_->running())
    watched.push_back({rank.index, rank.pid, std::move(rank.outputs), desk_.calls(rank.index)});
  watch_.look(watched);
}

void Agent::resume_stopped() {
  for (const uint32_t index : watch_.stopped()) ranks_->resume(index);
}

void Agent::drain_ranks(Duration grace, const std::string& why) {
  if (!ranks_) return;
  ranks_->drain(grace, why);
  resume_stopped();
}

// What a framework fills in is for hosts that say nothing of it.
std::vector<RankTask> Agent::with_own_values(std::vector<RankTask> tasks) const {
  for (RankTask& task : tasks) {
    for (const std::string& name : task.gaps) {
      if (bind_->own_environment && self_.environment.count(name) > 0) task.environment.erase(name);
    }
  }
  return tasks;
}

// The folders of jobs lie deep: then it goes beside the agent's own socket.
std::vector<RankTask> Agent::with_short_sockets(std::vector<RankTask> tasks) {
  remove_short_sockets();
  const std::string own = ports_.door.path().substr(0, ports_.door.path().rfind('.'));
  for (RankTask& task : tasks) {
    const auto found = task.environment.find(kTorchSocket);
    if (found == task.environment.end() || found->second.size() <= kMostOfSocket || own.empty()) continue;
    found->second = own + "-" + std::to_string(attempt_) + "-" + std::to_string(task.index) + ".torch";
    short_sockets_.emplace(task.index, found->second);
  }
  return tasks;
}

// Of the attempt before. A rank that goes on in this one listens where it began.
void Agent::remove_short_sockets() {
  std::erase_if(short_sockets_, [this](const auto& one) {
    if (parked_.has(one.first)) return false;
    ports_.door.remove_beside(one.second);
    return true;
  });
}

std::vector<RankTask> Agent::with_timers(std::vector<RankTask> tasks) {
  std::map<std::string, std::string> environment = tasks.empty() ? decltype(environment)() : tasks[0].environment;
  environment.insert(bind_->environment.begin(), bind_->environment.end());  // a task's own win
  const Result<std::string> file = timers_.begin(environment, bind_->workdir);
  if (!file.ok()) trouble_ = "no file timer for the ranks of " + self_.host + ": " + file.status().message();
  if (!file.ok() || file->empty()) return tasks;
  for (RankTask& task : tasks) task.environment[TimerDesk::kFile] = *file;
  return tasks;
}

// A process in the rank's session may be another than the rank: where it is started by a shell, or has workers.
void Agent::end_expired(const ExpiredTimer& timer) {
  if (!ranks_) return;
  const int64_t leader = ports_.timers.session_of(timer.pid);
  const std::string scope = "`" + escaped(timer.scope.substr(0, kMostOfScope)) + "`";
  for (const RankSet::Running& rank : ranks_->running()) {
    if (rank.pid != leader) continue;
    const std::string whose = timer.pid == leader
                                  ? "its timer " + scope
                                  : "the timer " + scope + " of its process " + std::to_string(timer.pid);
    return ranks_->expire(rank.index, timer.signal, whose + " expired");
  }
  ports_.log.info("the timer " + scope + " of process " + std::to_string(timer.pid) + ", which is no rank's, expired");
}

void Agent::add_open_barrier(Report& report) const {
  const auto open = desk_.longest_open();
  if (!open) return;
  report.waits = open->sentence;
  report.waited = ports_.loop.now() - open->since;
}

Result<GuestRequest> Agent::beside(uint32_t index) const {
  if (!ranks_) return Status(Code::failed_precondition, "no rank runs on its node yet");
  const auto place = ranks_->beside(index);
  if (!place.ok()) return place.status();
  return GuestRequest{place->spawn, place->rank};
}

// The machine at its other end may have lost its power, of which the kernel hears nothing: another coordinator may be there by now.
void Agent::give_up_silent_link() {
  constexpr Duration kSilent = std::chrono::seconds(10);
  if (!self_.pod || !channel_ || ports_.loop.now() - heard_at_ < kSilent) return;
  channel_lost(Status(Code::unavailable, "nothing was heard of the coordinator for 10 s"));
}

Duration Agent::patience_alone() const {
  if (!bind_) return self_.pod ? kPodPatience : kUnboundPatience;
  if (bind_->lease > Duration(0)) return self_.pod ? kPodEndedPatience : kEndedPatience;
  return bind_->sends_output ? kOutputPatience : kAlonePatience;
}

// A pod whose agent just ends has it started again, to wait again: this one is not to be.
void Agent::leave_alone() {
  const std::string why = "nobody came back for this node";
  if (self_.pod)
    dismissed_ = Dismiss{"nothing was heard of the coordinator for " + humane_duration(patience_alone()) +
                             ": nobody needs this node any more",
                         false, true};
  drain(Duration(0), why);
}

// Where nodes are replaced, who is drained says that nothing of it is alive: nobody waits for its lease. The coordinator hangs up then.
bool Agent::waits_for_farewell() {
  if (!channel_ || dismissed_ || !bind_ || bind_->lease == Duration(0)) return false;
  if (farewell_until_) return ports_.loop.now() < *farewell_until_;
  farewell_until_ = ports_.loop.now() + kLeaveFarewell;
  channel_->send(::muster::Leave{why_leaving_});
  ports_.loop.at(*farewell_until_, [this, alive = alive_] {
    if (*alive) leave_when_quiet();
  });
  return true;
}

// It says so when the last was taken, and with each beat.
bool Agent::waits_for_output() {
  if (!host_output_ || !channel_) return false;
  host_output_->hurry();
  return !host_output_->over();
}

}  // namespace muster
