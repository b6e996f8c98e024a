// SPDX-License-Identifier: Apache-2.0
#include "core/job/job_spec.h"
#include "core/machine/worker/worker.h"
#include "test/scenario/drivers.h"
#include "test/scenario/trace.h"

namespace muster::scenario {
namespace {

using namespace worker;

std::string tell(const Spawn&) { return "spawn"; }
std::string tell(const Signal& signal) { return "signal " + signal_name(signal.number); }
std::string tell(const ArmTimer& arm) { return "arm the timer " + at(arm.at); }
std::string tell(const Changed&) { return "report the change"; }

Event event_of(const Command& command) {
  const std::string detail = command.option("detail", "");
  if (command.verb == "start") return Start{};
  if (command.verb == "spawned") return Spawned{};
  if (command.verb == "spawn-failed") return SpawnFailed{parse_exit("not_started", detail)};
  if (command.verb == "exited") return Exited{parse_exit(command.plain(0), detail)};
  if (command.verb == "stop") return Stop{command.duration("grace", Duration{0})};
  if (command.verb == "timer") return TimerFired{};
  throw BadCommand("unknown worker command `" + command.verb + "`");
}

class WorkerDriver final : public Driver {
 public:
  std::vector<std::string> run(const Command& command) override {
    trace_.clear();
    if (command.verb == "advance") {
      advance(now_ + parse_time(command.plain(0)));
    } else {
      apply(event_of(command));
    }
    if (trace_.empty()) trace_.push_back("nothing happens");
    return trace_;
  }

 private:
  void advance(TimePoint until) {
    while (armed_ && *armed_ <= until) {
      now_ = *armed_;
      armed_.reset();
      trace_.push_back(at(now_) + " the timer fires");
      apply(TimerFired{});
    }
    now_ = until;
  }

  void apply(const Event& event) {
    const State before = state_;
    Step result = step(state_, now_, event);
    state_ = std::move(result.next);
    if (state_.phase != before.phase) trace_.push_back(phase());
    for (const Action& action : result.actions) {
      if (const auto* arm = std::get_if<ArmTimer>(&action)) armed_ = arm->at;
      trace_.push_back(std::visit([](const auto& each) { return tell(each); }, action));
    }
  }

  std::string phase() const {
    const bool exited = state_.phase == Phase::exited;
    return std::string(to_string(state_.phase)) + (exited ? ": it " + describe_exit(state_.exit) : "");
  }

  State state_;
  TimePoint now_ = kStoryBegins;
  std::optional<TimePoint> armed_;
  std::vector<std::string> trace_;
};

}  // namespace

std::unique_ptr<Driver> worker_driver() { return std::make_unique<WorkerDriver>(); }

}  // namespace muster::scenario
