// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>

#include "core/machine/job/gangs.h"
#include "core/machine/job/job.h"
#include "test/scenario/drivers.h"
#include "test/scenario/job_commands.h"
#include "test/scenario/job_trace.h"
#include "test/scenario/node_truth.h"
#include "test/scenario/trace.h"

namespace muster::scenario {
namespace {

using namespace job;

class JobDriver final : public Driver {
 public:
  std::vector<std::string> run(const Command& command) override {
    trace_.clear();
    if (command.verb != "job" && !state_) throw BadCommand("the first command is `job`");
    execute(command);
    return trace_;
  }

 private:
  struct Journaled {
    TimePoint when;
    Event event;
  };

  void execute(const Command& command) {
    if (command.verb == "job") return submit(command);
    if (command.verb == "advance") return advance(now_ + parse_time(command.plain(0)));
    if (command.verb == "repeat") return apply(Event(journal_.back().event));
    if (command.verb == "standing") return tell_standing();
    if (command.verb == "takeover") return take_over();
    apply(event_of(command));
  }

  void submit(const Command& command) {
    rules_ = parse_rules(command);
    truths_.assign(rules_.nodes.size(), NodeTruth());
    const Step first = submitted(rules_, now_);
    state_ = first.next;
    tell_step(first, false);
  }

  Event event_of(const Command& command) {
    if (command.verb == "admit") return Admitted{};
    const Duration grace = command.duration("grace", rules_.timeouts.stop);
    if (command.verb == "stop") return StopAsked{grace, rest(command, 0), SIGTERM, asked_on(command)};
    if (command.verb == "kill") return StopAsked{Duration{0}, rest(command, 0)};
    if (command.verb == "judged") return judged(command);
    if (command.verb == "timer") return TimerFired{parse_timer(command.plain(0))};
    return node_event(command, static_cast<NodeIndex>(parse_number(command.plain(0))));
  }

  Event judged(const Command& command) const {
    Judged event{state_->attempt, std::nullopt, parse_hang(command.plain(0)), now_, rest(command, 1), ""};
    event.attempt = static_cast<Attempt>(command.number("attempt", event.attempt));
    event.gang = static_cast<uint32_t>(command.number("gang", 0));
    event.since = now_ - command.duration("for", Duration(0));
    if (!command.option("rank", "").empty()) event.rank = static_cast<uint32_t>(command.number("rank", 0));
    return event;
  }

  Event node_event(const Command& command, NodeIndex node) {
    if (command.verb == "place-failed") return PlaceFailed{node, rest(command, 1)};
    if (command.verb == "link-down") return LinkDown{node};
    if (command.verb == "lost") return NodeLost{node, rest(command, 1)};
    if (command.verb == "taken") return NodeLost{node, rest(command, 1), true};
    if (node >= truths_.size()) truths_.resize(node + 1);
    NodeTruth& truth = truths_[node];
    if (command.verb == "node-up") {
      const auto ranks = static_cast<uint32_t>(command.number("ranks", 0));
      return NodeUp{node, truth.dial(command), "token", command.option("host", ""), ranks};
    }
    if (command.verb == "report") return truth.report(command, node, state_->rules, now_, attempt_on(*state_, node));
    throw BadCommand("unknown job command `" + command.verb + "`");
  }

  static std::optional<NodeIndex> asked_on(const Command& command) {
    const std::string node = command.option("on", "");
    return node.empty() ? std::optional<NodeIndex>() : static_cast<NodeIndex>(parse_number(node));
  }

  static std::string rest(const Command& command, size_t n) {
    for (const Word& word : command.words) {
      if (word.key.empty() && n-- == 0) return word.value;
    }
    return "";
  }

  void advance(TimePoint until) {
    trace_.push_back(at(until));
    while (std::optional<Timer> due = next_due(until)) {
      now_ = armed_.at(*due);
      armed_.erase(*due);
      trace_.push_back("the " + std::string(to_string(*due)) + " timer fires " + at(now_));
      apply(TimerFired{*due});
    }
    now_ = until;
  }

  std::optional<Timer> next_due(TimePoint until) const {
    std::optional<Timer> due;
    for (const auto& [timer, when] : armed_) {
      if (when <= until && (!due || when < armed_.at(*due))) due = timer;
    }
    return due;
  }

  void apply(const Event& event) {
    const State before = *state_;
    const Step result = step(before, now_, event);
    if (!(step(before, now_, event).next == result.next)) trace_.push_back("BUG: two steps from one state differ");
    journal_.push_back({now_, event});
    state_ = result.next;
    tell_step(result, before == result.next);
  }

  void tell_step(const Step& result, bool unchanged) {
    if (unchanged && result.actions.empty() && result.sentence.empty()) return trace_.push_back("nothing changes");
    trace_.push_back(tell_phase(result.next) + (result.sentence.empty() ? "" : ": " + result.sentence));
    for (const Action& action : result.actions) {
      note_timer(action);
      trace_.push_back("- " + tell(action, state_->rules));
    }
    if (armed_ != result.next.timers) trace_.push_back("BUG: the timers of the state differ from the armed ones");
  }

  // Keeps the armed timers, as the coordinator does.
  void note_timer(const Action& action) {
    if (const auto* arm = std::get_if<ArmTimer>(&action)) armed_[arm->timer] = arm->at;
    if (const auto* cancel = std::get_if<CancelTimer>(&action)) armed_.erase(cancel->timer);
  }

  void tell_standing() {
    for (const Action& action : standing_actions(*state_)) trace_.push_back("- " + tell(action, state_->rules));
    if (trace_.empty()) trace_.push_back("no action is required");
  }

  // A new controller replays the journal. It must find the same state, and repeats the required actions.
  void take_over() {
    State replayed = submitted(rules_, kStoryBegins).next;
    for (const Journaled& line : journal_) replayed = step(std::move(replayed), line.when, line.event).next;
    trace_.push_back(replayed == *state_ ? tell_phase(replayed) + ", as before"
                                         : "BUG: replaying the journal gives another state");
    for (const Action& action : standing_actions(replayed)) trace_.push_back("- " + tell(action, state_->rules));
  }

  Rules rules_;
  std::optional<State> state_;
  TimePoint now_ = kStoryBegins;
  std::vector<NodeTruth> truths_;
  std::map<Timer, TimePoint> armed_;
  std::vector<Journaled> journal_;
  std::vector<std::string> trace_;
};

}  // namespace

std::unique_ptr<Driver> job_driver() { return std::make_unique<JobDriver>(); }

}  // namespace muster::scenario
