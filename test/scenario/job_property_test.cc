// SPDX-License-Identifier: Apache-2.0
// Thousands of random histories of a job, with the properties that must hold after every event
// (docs/design/job-machine.md).

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/base/random.h"
#include "core/machine/job/gangs.h"
#include "core/machine/job/job.h"

namespace muster::job {
namespace {

using std::chrono::seconds;

constexpr uint32_t kRanksPerNode = 2;
constexpr size_t kMostNodes = 8;

struct Happened {
  TimePoint when;
  Event event;
};

Rules any_rules(Random& random) {
  Rules rules;
  const auto groups = 1 + random.below(2);
  for (uint64_t g = 0; g < groups; ++g) {
    rules.groups.push_back(static_cast<SuccessRule>(random.below(3)));
    rules.group_names.push_back("g" + std::to_string(g));
  }
  const auto nodes = groups + random.below(2);
  for (NodeIndex n = 0; n < nodes; ++n) {
    rules.nodes.push_back("node-" + std::to_string(n));
    for (uint32_t r = 0; r < kRanksPerNode; ++r) {
      const auto group = static_cast<uint32_t>(n * groups / nodes);
      rules.ranks.push_back({"rank " + std::to_string(rules.ranks.size()), n, group});
    }
  }
  rules.restarts.limit = static_cast<uint32_t>(random.below(4));
  rules.restarts.first_backoff = seconds(random.below(2) * 3);
  rules.restarts.min_backoff = seconds(random.below(2));
  rules.restarts.never_on = {{FailureRule::Kind::exit_code, 2}};
  rules.restarts.always_on = {{FailureRule::Kind::exit_code, 3}, {FailureRule::Kind::lost, 0, "", "g1"}};
  rules.restarts.mode = static_cast<RestartMode>(random.below(3));
  rules.restarts.window = seconds(random.below(2) * 60);
  rules.restarts.crash_loop = static_cast<uint32_t>(random.below(4));
  rules.timeouts.queue = seconds(random.below(2) * 60);
  rules.timeouts.run = seconds(random.below(2) * 300);
  rules.hangs.action = static_cast<HangAction>(random.below(3));
  rules.timeouts.setup = seconds(random.below(2) * 60);
  rules.seed = random.next();
  if (groups == 1 && random.below(2) == 0) {
    const auto least = 1 + static_cast<uint32_t>(random.below(nodes));
    rules.membership =
        ElasticMembership{least, static_cast<uint32_t>(nodes + random.below(3)), seconds(random.below(2) * 5)};
  }
  rules.prepares = !rules.membership && random.below(3) == 0;
  return rules;
}

// The truth about one node: which attempt's processes may be alive there.
struct World {
  Attempt desired = 0;  // the last attempt that it was told to run; 0: none since it was placed
  bool quiet = true;    // it has reported that all ranks of that attempt have ended
};

class History {
 public:
  explicit History(uint64_t seed) : random_(seed), rules_(any_rules(random_)), worlds_(kMostNodes) {
    facts_.resize(rules_.ranks.size());
    accept(submitted(rules_, now_));
  }

  void run() {
    for (int i = 0; i < 120; ++i) {
      advance(now_ + seconds(random_.below(6)));
      apply(any_event());
    }
  }

  void expect_same_replay() const {
    State state = submitted(rules_, TimePoint()).next;
    for (const Happened& happened : journal_) state = step(std::move(state), happened.when, happened.event).next;
    EXPECT_EQ(state, state_);
  }

  bool done() const { return state_.phase == Phase::done; }

 private:
  Event any_event() {
    const auto node = static_cast<NodeIndex>(random_.below(state_.nodes.size() + (random_.below(50) == 0 ? 1 : 0)));
    const uint64_t dice = random_.below(100);
    if (dice < 10) return Admitted{};
    if (dice < 30) return NodeUp{node, 1 + random_.below(3), "", "", static_cast<uint32_t>(random_.below(4))};
    if (dice < 32) return PlaceFailed{node, "no route"};
    if (dice < 34) return NodeLost{node, "gone"};
    if (dice < 36) return TimerFired{static_cast<Timer>(random_.below(8))};
    if (dice < 37) return any_stop(node);
    if (dice < 39) return LinkDown{node};
    if (dice < 42) return any_verdict();
    return node < state_.nodes.size() ? any_report(node) : Event{Reported{node, 1, 1, true, {}}};
  }

  Event any_stop(NodeIndex node) {
    StopAsked asked{seconds(random_.below(3) * 10), "stopped by the user"};
    if (random_.below(2) == 0) asked.node = node;
    return asked;
  }

  Event any_verdict() {
    Judged judged{state_.attempt, std::nullopt, static_cast<HangKind>(random_.below(6)), now_, "read", ""};
    judged.gang = static_cast<uint32_t>(random_.below(3));
    judged.attempt = gang_at(state_, judged.gang % gang_count(state_)).attempt;
    if (random_.below(2) == 0) judged.rank = static_cast<uint32_t>(random_.below(rules_.ranks.size() + 1));
    if (random_.below(10) == 0) judged.attempt = static_cast<Attempt>(random_.below(state_.attempt + 2));
    return judged;
  }

  // Mostly a plausible report, whose ranks move forward; sometimes one with a wrong incarnation or attempt.
  Event any_report(NodeIndex node) {
    Reported report{node, state_.nodes[node].incarnation, attempt_on(state_, node), random_.below(2) == 0, {}};
    const State& gang = gang_at(state_, gang_of(state_, node));
    const bool before_ranks = rules_.prepares && gang.phase == Phase::placing && gang.attempt > 0;
    if (before_ranks && random_.below(10) != 0) report.attempt = std::max(report.attempt, Attempt{1}) - 1;
    report.prepared = random_.below(2) == 0;
    if (!report.prepared && random_.below(5) == 0) report.devices = "GPU-1 is held by mia's job llm, pid 4711";
    if (random_.below(100) == 0) report.unprepared = "setup failed";
    if (random_.below(100) == 0) report.service_failure = "its server exited with code 3";
    if (random_.below(15) == 0) report.incarnation = random_.below(4);
    if (random_.below(15) == 0) report.attempt = static_cast<Attempt>(random_.below(state_.attempt + 2));
    for (uint32_t i = 0; i < state_.rules.ranks.size(); ++i) {
      if (state_.rules.ranks[i].node != node) continue;
      move_forward(facts_[i]);
      facts_[i].index = i;
      report.ranks.push_back(facts_[i]);
    }
    // A node that is quiet stays quiet.
    report.quiet |= worlds_[node].desired != 0 && worlds_[node].quiet;
    if (report.quiet && random_.below(2) == 0) end_all(report);
    return report;
  }

  void move_forward(RankFact& fact) {
    if (fact.phase == RankPhase::exited || random_.below(2) == 0) return;
    fact.phase = static_cast<RankPhase>(static_cast<int>(fact.phase) + 1);
    if (fact.phase == RankPhase::exited) end(fact);
  }

  void end(RankFact& fact) {
    fact.phase = RankPhase::exited;
    fact.exit.code = static_cast<int>(random_.below(3) == 0 ? random_.below(4) : 0);
    fact.ended = now_;
  }

  void end_all(Reported& report) {
    for (RankFact& fact : report.ranks) {
      if (facts_[fact.index].phase != RankPhase::exited) end(facts_[fact.index]);
      fact = facts_[fact.index];
    }
  }

  void advance(TimePoint until) {
    while (!armed_.empty()) {
      auto first = armed_.begin();
      for (auto next = armed_.begin(); next != armed_.end(); ++next) {
        if (next->second < first->second) first = next;
      }
      if (first->second > until) break;
      now_ = first->second;
      const Timer timer = first->first;
      armed_.erase(first);
      apply(TimerFired{timer});
    }
    now_ = until;
  }

  void apply(const Event& event) {
    const State before = state_;
    note(event);
    journal_.push_back({now_, event});
    const Step result = step(before, now_, event);
    EXPECT_EQ(result.next, step(before, now_, event).next);
    accept(result);
    expect_forward(before);
    if (before.phase == Phase::done) expect_final(before, result);
    if (std::holds_alternative<Reported>(event)) expect_level(event);
  }

  // A node is quiet when it has reported so for the attempt that it was told to run, with all its ranks ended, or when it
  // is lost.
  void note(const Event& event) {
    if (const auto* lost = std::get_if<NodeLost>(&event)) forget(lost->node);
    const auto* report = std::get_if<Reported>(&event);
    if (report == nullptr || report->node >= state_.nodes.size()) return;
    const NodeState& node = state_.nodes[report->node];
    if (node.phase != NodeState::Phase::up || node.incarnation != report->incarnation) return;
    World& world = worlds_[report->node];
    if (world.desired == 0 || report->attempt != world.desired) return;
    world.quiet = report->quiet;
    for (const RankFact& fact : report->ranks) world.quiet &= fact.phase == RankPhase::exited;
  }

  void forget(NodeIndex node) {
    if (node < worlds_.size()) worlds_[node] = World{};
  }

  void accept(const Step& result) {
    state_ = result.next;
    for (const Action& action : result.actions) apply_action(action);
    EXPECT_EQ(armed_, state_.timers);
  }

  void apply_action(const Action& action) {
    if (const auto* arm = std::get_if<ArmTimer>(&action)) armed_[arm->timer] = arm->at;
    if (const auto* cancel = std::get_if<CancelTimer>(&action)) armed_.erase(cancel->timer);
    if (const auto* begin = std::get_if<BeginAttempt>(&action)) apply_action(*begin);
    const auto* desired = std::get_if<DesiredState>(&action);
    if (desired != nullptr && desired->run) apply_action(*desired);
    if (const auto* finish = std::get_if<Finish>(&action)) apply_action(*finish);
  }

  void apply_action(const BeginAttempt& begin) {
    expect_nobody_alive_but(begin.attempt, begin.gang);
    const bool is_new = begun_.insert(begin.attempt).second;
    EXPECT_TRUE(is_new || (begin.attempt == 1 && gang_count(state_) > 1)) << "begun twice";
    facts_.resize(state_.rules.ranks.size());
    for (uint32_t i = 0; i < facts_.size(); ++i) {
      if (gang_of(state_, state_.rules.ranks[i].node) == begin.gang) facts_[i] = RankFact{};
    }
    if (rules_.membership) expect_enough();
  }

  void expect_enough() const {
    const auto members =
        std::count_if(state_.nodes.begin(), state_.nodes.end(), [](const NodeState& node) { return node.member; });
    EXPECT_GE(members, rules_.membership->least);
    EXPECT_LE(state_.nodes.size(), rules_.membership->most);
    EXPECT_TRUE(state_.nodes.front().member) << "the job cannot run without its first host";
    for (const Rules::RankRule& rank : state_.rules.ranks) EXPECT_TRUE(state_.nodes[rank.node].member);
  }

  void apply_action(const DesiredState& desired) {
    expect_nobody_alive_but(desired.attempt, gang_of(state_, desired.node));
    EXPECT_EQ(desired.attempt, attempt_on(state_, desired.node));
    worlds_[desired.node] = World{desired.attempt, false};
  }

  void apply_action(const Finish& finish) {
    ++finishes_;
    EXPECT_EQ(finishes_, 1);
    EXPECT_NE(finish.outcome, Outcome::none);
    // The agent of an unreachable host ends its ranks by itself.
    for (size_t n = 0; n < state_.nodes.size(); ++n) {
      if (state_.nodes[n].unreachable) worlds_[n] = World{};
    }
    for (uint32_t gang = 0; gang < gang_count(state_); ++gang) expect_nobody_alive_but(0, gang);
  }

  void expect_nobody_alive_but(Attempt attempt, uint32_t gang) const {
    for (NodeIndex n = 0; n < worlds_.size(); ++n) {
      const World& world = worlds_[n];
      const bool meant = gang_of(state_, n) == gang;
      EXPECT_TRUE(!meant || world.quiet || world.desired == attempt) << "attempt " << world.desired << " may be alive";
    }
  }

  void expect_forward(const State& before) const {
    EXPECT_GE(state_.attempt, before.attempt);
    EXPECT_LE(state_.attempt, before.attempt + 1) << "at most one attempt a step";
    EXPECT_GE(state_.restarts, before.restarts);
    EXPECT_LE(state_.restarts, before.restarts + 1);
    EXPECT_LE(counted(), rules_.restarts.limit);
    EXPECT_LE(state_.consecutive_failures, state_.attempt) << "at most one failure an attempt";
    for (uint32_t gang = 0; gang < gang_count(state_); ++gang)
      expect_forward(gang_at(before, gang), gang_at(state_, gang));
    EXPECT_EQ(state_.phase == Phase::done, state_.outcome != Outcome::none);
    EXPECT_TRUE(state_.phase != Phase::done || state_.timers.empty());
  }

  // Restarts that count against the limit now.
  uint64_t counted() const {
    const Duration window = rules_.restarts.window;
    if (window == Duration(0)) return state_.restarts;
    return static_cast<uint64_t>(std::count_if(state_.restarted_at.begin(), state_.restarted_at.end(),
                                               [&](TimePoint at) { return now_ - at < window; }));
  }

  // A gang that is done keeps its outcome.
  static void expect_forward(const State& before, const State& after) {
    EXPECT_GE(after.attempt, before.attempt);
    EXPECT_EQ(after.outcome, before.phase == Phase::done ? before.outcome : after.outcome);
  }

  static void expect_final(const State& before, const Step& result) {
    EXPECT_EQ(before, result.next) << "done is final";
    EXPECT_TRUE(result.actions.empty());
    EXPECT_TRUE(result.sentence.empty());
  }

  // A repeated report changes nothing.
  void expect_level(const Event& event) const {
    const Step again = step(state_, now_, event);
    EXPECT_EQ(again.next, state_);
    EXPECT_TRUE(again.actions.empty());
  }

  Random random_;
  Rules rules_;
  TimePoint now_;
  State state_;
  std::map<Timer, TimePoint> armed_;
  std::vector<World> worlds_;
  std::vector<RankFact> facts_;
  int finishes_ = 0;
  std::set<Attempt> begun_;
  std::vector<Happened> journal_;
};

TEST(JobProperty, RandomHistories) {
  int done = 0;
  for (uint64_t seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    History history(seed);
    history.run();
    history.expect_same_replay();
    done += history.done() ? 1 : 0;
  }
  EXPECT_GT(done, 1000) << "too few histories came to an end: they test little";
}

}  // namespace
}  // namespace muster::job
