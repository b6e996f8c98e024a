// SPDX-License-Identifier: Apache-2.0
// Events and actions as text.

#include "core/job/job_spec.h"
#include "test/testing/machine_names.h"

namespace muster::watch {
namespace {

std::string node(NodeIndex index) { return "node " + std::to_string(index); }
std::string attempt(Attempt number) { return "attempt " + std::to_string(number); }

struct JobEvents {
  std::string operator()(const job::Admitted&) const { return "admitted"; }
  std::string operator()(const job::NodeUp& up) const { return node(up.node) + " is up"; }
  std::string operator()(const job::PlaceFailed& failed) const { return "placing " + node(failed.node) + " failed"; }
  std::string operator()(const job::NodeLost& lost) const { return node(lost.node) + " lost: " + lost.reason; }
  std::string operator()(const job::LinkDown& down) const { return "the link to " + node(down.node) + " is down"; }
  std::string operator()(const job::Reported& report) const {
    std::string text = node(report.node) + " reports " + attempt(report.attempt) + (report.quiet ? ", quiet" : "");
    for (const job::RankFact& rank : report.ranks) {
      text += ", " + std::to_string(rank.index) + " " + std::string(to_string(rank.phase));
      if (rank.phase == RankPhase::exited) text += " (" + describe_exit(rank.exit) + ")";
    }
    return text;
  }
  std::string operator()(const job::TimerFired& fired) const { return "timer " + std::string(to_string(fired.timer)); }
  std::string operator()(const job::StopAsked& asked) const { return "stop requested: " + asked.why; }
  std::string operator()(const job::Judged& judged) const {
    const std::string subject = judged.rank ? "rank " + std::to_string(*judged.rank) : "the gang";
    return subject + " judged " + std::string(to_string(judged.kind));
  }
};

struct JobActions {
  std::string operator()(const job::Place& place) const { return "place " + node(place.node); }
  std::string operator()(const job::Release& release) const { return "release " + node(release.node); }
  std::string operator()(const job::DesiredState& desired) const {
    return "tell " + node(desired.node) + (desired.run ? " to run " : " to stop ") + attempt(desired.attempt);
  }
  std::string operator()(const job::ArmTimer& arm) const { return "arm " + std::string(to_string(arm.timer)); }
  std::string operator()(const job::CancelTimer& cancel) const {
    return "cancel " + std::string(to_string(cancel.timer));
  }
  std::string operator()(const job::BeginAttempt& begin) const { return "begin " + attempt(begin.attempt); }
  std::string operator()(const job::EndAttempt& end) const { return "end " + attempt(end.attempt); }
  std::string operator()(const job::Finish& finish) const {
    return "finish: " + std::string(to_string(finish.outcome));
  }
};

struct WorkerEvents {
  std::string operator()(const worker::Start&) const { return "start"; }
  std::string operator()(const worker::Spawned&) const { return "spawned"; }
  std::string operator()(const worker::SpawnFailed& failed) const { return "spawn failed: " + failed.exit.detail; }
  std::string operator()(const worker::Exited& exited) const { return describe_exit(exited.exit); }
  std::string operator()(const worker::Stop& stop) const { return "stop, grace " + format_duration(stop.grace); }
  std::string operator()(const worker::TimerFired&) const { return "grace is over"; }
};

struct WorkerActions {
  std::string operator()(const worker::Spawn&) const { return "spawn"; }
  std::string operator()(const worker::Signal& signal) const { return "signal " + signal_name(signal.number); }
  std::string operator()(const worker::ArmTimer&) const { return "arm grace"; }
  std::string operator()(const worker::Changed&) const { return "report"; }
};

template <typename Words, typename Action>
std::string all(const std::vector<Action>& actions) {
  std::string text;
  for (const Action& action : actions) text += (text.empty() ? "" : "; ") + std::visit(Words{}, action);
  return text;
}

}  // namespace

std::string tell(const job::Event& event) { return std::visit(JobEvents{}, event); }
std::string tell(const std::vector<job::Action>& actions) { return all<JobActions>(actions); }
std::string tell(const worker::Event& event) { return std::visit(WorkerEvents{}, event); }
std::string tell(const std::vector<worker::Action>& actions) { return all<WorkerActions>(actions); }

}  // namespace muster::watch
