// SPDX-License-Identifier: Apache-2.0
#include "test/scenario/node_truth.h"

#include "test/scenario/trace.h"

namespace muster::scenario {

using namespace job;

Incarnation NodeTruth::dial(const Command& command) {
  incarnation_ = command.number("incarnation", incarnation_ + 1);
  attempt_ = 0;
  facts_.clear();
  return incarnation_;
}

void NodeTruth::begin(Attempt attempt, NodeIndex node, const Rules& rules) {
  attempt_ = attempt;
  facts_.clear();
  for (uint32_t i = 0; i < rules.ranks.size(); ++i) {
    if (rules.ranks[i].node == node) facts_[i].index = i;
  }
}

// Exited is final, as in the worker machine.
void NodeTruth::set(RankPhase phase, const ExitStatus& exit, TimePoint now) {
  for (auto& [index, fact] : facts_) {
    const bool meant = !only_ || *only_ == index;
    if (!meant || fact.phase == RankPhase::exited) continue;
    fact.phase = phase;
    if (phase != RankPhase::exited) continue;
    fact.exit = exit;
    fact.ended = now;
  }
}

// "asked": the rank had been told to stop. "service_failed": because a service had failed. "traceback": its failure message is the end of a traceback.
ExitStatus NodeTruth::exit_of(const std::string& text, const Command& command) {
  ExitStatus exit = parse_exit(text, command.option("detail", ""));
  exit.asked = command.has("asked");
  exit.service_failed = command.has("service_failed");
  if (command.has("traceback")) exit.trace = "Traceback (most recent call last):\n" + exit.detail + "\n";
  return exit;
}

void NodeTruth::execute(const Command& command, TimePoint now) {
  only_.reset();
  for (const Word& word : command.words) {
    if (word.key == "rank") only_ = static_cast<uint32_t>(parse_number(word.value));
    if (word.key == "exit") {
      set(RankPhase::exited, exit_of(word.value, command), now);
    }
    if (!word.key.empty()) continue;
    if (word.value == "starting") set(RankPhase::starting, {}, now);
    if (word.value == "running") set(RankPhase::running, {}, now);
    if (word.value == "stopping") set(RankPhase::stopping, {}, now);
  }
  only_.reset();
  if (command.has("quiet") && !command.has("early")) set(RankPhase::exited, parse_exit("SIGTERM", ""), now);
}

Reported NodeTruth::report(const Command& command, NodeIndex node, const Rules& rules, TimePoint now, Attempt attempt) {
  const auto named = static_cast<Attempt>(command.number("attempt", attempt_ == 0 ? attempt : attempt_));
  if (named != attempt_) begin(named, node, rules);
  execute(command, now);
  Reported report{node, command.number("incarnation", incarnation_), attempt_, command.has("quiet"), {}};
  report.prepared = command.has("prepared");
  report.taken = command.has("taken");
  report.unprepared = command.option("unprepared", "");
  report.devices = command.option("devices", "");
  report.service_failure = command.option("service_failure", "");
  for (const auto& [index, fact] : facts_) report.ranks.push_back(fact);
  return report;
}

}  // namespace muster::scenario
