// SPDX-License-Identifier: Apache-2.0
// The setup of nodes before their ranks start. An attempt waits for the setup of all nodes, so that no rank waits for a peer
// whose host is still being set up.

#include <algorithm>

#include "core/base/text.h"
#include "core/machine/job/decision.h"

namespace muster::job {
namespace {

// A shorter setup is not reported.
constexpr Duration kWorthTelling = std::chrono::seconds(1);

void fail_for_setup(Decision& decision, const std::string& sentence, bool timed_out) {
  State& state = decision.state;
  state.cause = Cause{sentence, std::nullopt, {}, timed_out};
  state.failed_at = decision.now;
  decision.say("stopping: " + sentence);
  stop_attempt(decision, Then::failed, state.rules.restarts.grace, sentence);
}

void all_set_up(Decision& decision) {
  State& state = decision.state;
  if (!state.preparing) return;
  const Duration took = decision.now - *state.preparing;
  state.preparing.reset();
  decision.cancel(Timer::setup);
  decision.arm(Timer::start, state.rules.timeouts.start);
  if (took < kWorthTelling) return;
  const std::string took_so_long = of_gang(state) + " took " + humane_duration(took);
  decision.say((state.rules.sets_up ? "setup" : "waiting for the GPUs") + took_so_long);
}

}  // namespace

bool waits_for_setup(Decision& decision) {
  State& state = decision.state;
  if (!state.rules.prepares) return false;
  const bool all = state.nodes.total().prepared == state.nodes.size();
  if (all) {
    all_set_up(decision);
  } else if (!state.preparing) {
    state.preparing = decision.now;
    decision.cancel(Timer::start);
    decision.arm(Timer::setup, state.rules.timeouts.setup);
  }
  return !all;
}

// A node that waits for other nodes may have released its devices meanwhile; the rest of its setup remains done.
void note_setup(Decision& decision, const Reported& report) {
  State& state = decision.state;
  NodeState node = state.nodes[report.node];
  const bool news = !report.devices.empty() && !node.deprived && state.phase == Phase::placing;
  node.prepared = report.prepared || (node.prepared && report.devices.empty());
  node.deprived = !report.devices.empty();
  state.nodes.set(report.node, node);
  if (!state.rules.prepares) return;
  if (news) decision.say("waits for its GPUs on " + state.rules.nodes[report.node] + ": " + report.devices);
  if (report.prepared) run_if_placed(decision);
}

void setup_failed(Decision& decision, const std::string& why) {
  if (decision.state.phase == Phase::placing && decision.state.rules.prepares) fail_for_setup(decision, why, false);
}

// The holder of the devices may run for days, so timeouts.setup does not limit this wait.
void setup_timed_out(Decision& decision) {
  const State& state = decision.state;
  if (std::any_of(state.nodes.begin(), state.nodes.end(), [](const NodeState& node) { return node.deprived; }))
    return decision.arm(Timer::setup, state.rules.timeouts.setup);
  std::vector<std::string> late;
  for (size_t n = 0; n < state.nodes.size(); ++n) {
    if (!state.nodes[n].prepared) late.push_back(state.rules.nodes[n]);
  }
  fail_for_setup(decision,
                 "setup on " + short_list(late, 4) + " did not end within " +
                     humane_duration(state.rules.timeouts.setup) + " (timeouts.setup)",
                 true);
}

}  // namespace muster::job
