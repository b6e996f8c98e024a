// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/job_trace.h"

#include "test/scenario/trace.h"

namespace muster::scenario {
namespace {

using namespace job;

struct Teller {
  const Rules& rules;

  std::string node(NodeIndex index) const { return rules.nodes[index]; }

  std::string of_gang(uint32_t gang) const {
    const bool several = rules.restarts.mode == RestartMode::group && rules.groups.size() > 1;
    return several ? " of group " + rules.group_names.at(gang) : "";
  }

  std::string operator()(const Place& place) const { return "place " + node(place.node); }
  std::string operator()(const Release& release) const { return "release " + node(release.node); }
  std::string operator()(const DesiredState& desired) const {
    const std::string what = "attempt " + std::to_string(desired.attempt);
    const std::string state_of = "desired state of " + node(desired.node) + ": ";
    if (desired.run) return state_of + "run " + what;
    return state_of + "stop " + what + ", grace " + format_duration(desired.grace);
  }
  std::string operator()(const ArmTimer& arm) const {
    return "arm the " + std::string(to_string(arm.timer)) + " timer " + at(arm.at);
  }
  std::string operator()(const CancelTimer& cancel) const {
    return "cancel the " + std::string(to_string(cancel.timer)) + " timer";
  }
  std::string operator()(const BeginAttempt& begin) const {
    return "begin the rendezvous of attempt " + std::to_string(begin.attempt) + of_gang(begin.gang);
  }
  std::string operator()(const EndAttempt& end) const {
    return "end the rendezvous of attempt " + std::to_string(end.attempt) + of_gang(end.gang) + ": " + end.why;
  }
  std::string operator()(const Finish& finish) const { return "finish: " + std::string(to_string(finish.outcome)); }
};

}  // namespace

std::string tell_phase(const State& state) {
  std::string text(to_string(state.phase));
  if (state.phase == Phase::done) text += " (" + std::string(to_string(state.outcome)) + ")";
  return state.attempt == 0 ? text : text + ", attempt " + std::to_string(state.attempt);
}

std::string tell(const Action& action, const Rules& rules) { return std::visit(Teller{rules}, action); }

}  // namespace muster::scenario
