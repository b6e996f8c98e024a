// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod_backend.h"

#include <gtest/gtest.h>

#include <set>

#include "backends/testing/conformance.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

// A pod of group 0.
PodSelf pod_of(uint32_t index, const std::string& uid) {
  return {0,         index, uid, "job-worker-0-" + std::to_string(index), "10.0.0." + std::to_string(index + 1),
          "machine", false};
}

Plan plan_of_nodes(uint32_t nodes) {
  JobSpec spec;
  spec.name = "job";
  spec.groups = {GroupSpec{}};
  spec.groups[0].max_nodes = nodes;
  sim::SimLoop loop;
  return *PodBackend(loop).plan(spec, {}, {});
}

void claim(PodBackend& backend, const JobId& job, const Plan& plan) {
  static const std::vector<JobHost> no_hosts;
  static const std::map<std::string, std::string> no_environment;
  EXPECT_TRUE(backend.claim({job, "job", plan, no_hosts, no_environment, {}}).ok());
}

// Pods connect by themselves; nothing starts them. A dead agent is detected when its container is restarted.
class PodLab final : public BackendLab {
 public:
  PodLab() { reopen(); }
  PodBackend& backend() override { return *backend_; }
  void know(const JobId& job) override {
    job_ = job;
    claim(*backend_, job_, plan_);
  }
  void wait(Duration duration) override { loop_.run_for(duration); }
  void refuse_places(bool refuse) override { refuse ? backend_->unclaim(job_) : claim(*backend_, job_, plan_); }
  void placing(size_t agent, const NodeRef& node) override { pods_[agent] = node.node; }
  void say_hello(size_t agent, std::unique_ptr<ChannelToAgent> channel) override {
    const bool known = pods_.count(agent) > 0;
    if (known && began_anew_.erase(pods_[agent]) > 0) return;  // it has connected already
    come(known ? pods_[agent] : 7, std::move(channel));
  }
  void die(size_t agent) override {
    began_anew_.insert(pods_[agent]);
    come(pods_[agent], std::make_unique<DismissibleChannel>(&ignored_));
  }
  bool was_ended(size_t) const override { return false; }
  void reopen() override { backend_ = std::make_unique<PodBackend>(loop_); }

 private:
  void come(uint32_t index, std::unique_ptr<ChannelToAgent> channel) {
    ArrivedAgent agent{std::move(channel), {}, "10.0.0.9"};
    agent.hello.incarnation = ++incarnations_;
    agent.hello.pod = pod_of(index, "uid-" + std::to_string(index));
    backend_->agent_arrived(std::move(agent));
  }

  sim::SimLoop loop_;
  const Plan plan_ = plan_of_nodes(2);
  std::unique_ptr<PodBackend> backend_;
  JobId job_;
  std::map<size_t, uint32_t> pods_;  // of agents, by their index
  std::set<uint32_t> began_anew_;
  Incarnation incarnations_ = 0;
  bool ignored_ = false;
};

std::unique_ptr<BackendLab> make_pod_lab() { return std::make_unique<PodLab>(); }

INSTANTIATE_TEST_SUITE_P(Pods, BackendConformance, testing::Values(&make_pod_lab));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StarterConformance);

// The messages from the coordinator to an agent.
struct Heard {
  std::optional<Dismiss> dismissed;
  std::function<void(const Status&)> on_closed;
};

class PodChannel final : public ChannelToAgent {
 public:
  explicit PodChannel(std::shared_ptr<Heard> heard) : heard_(std::move(heard)) {}
  void send(const CoordinatorMessage& message) override {
    if (const auto* dismiss = std::get_if<Dismiss>(&message)) heard_->dismissed = *dismiss;
  }
  void listen(std::function<void(const AgentMessage&)>, std::function<void(const Status&)> on_closed) override {
    heard_->on_closed = std::move(on_closed);
  }

 private:
  std::shared_ptr<Heard> heard_;
};

class Pods : public testing::Test {
 protected:
  Pods() {
    Random random(7);
    job_ = JobId::make(random);
    backend_.on_lost([this](const NodeRef& node, const std::string&) { lost_.push_back(node.node); });
    backend_.on_returned([this](const ArrivedAgent& agent) { returned_.push_back(agent.hello.incarnation); });
  }

  void begin() { claim(backend_, job_, plan_); }

  std::shared_ptr<Heard> come(const PodSelf& pod, Incarnation incarnation, const JobId& bound = {},
                              const std::string& keeps = "") {
    auto heard = std::make_shared<Heard>();
    ArrivedAgent agent{std::make_unique<PodChannel>(heard), {}, "10.0.0.9"};
    agent.hello.incarnation = incarnation;
    agent.hello.pod = pod;
    agent.hello.job = bound;
    agent.hello.snapshot = keeps;
    backend_.agent_arrived(std::move(agent));
    loop_.run_for(Duration(0));
    return heard;
  }

  void place(NodeIndex node) {
    backend_.place({job_, node}, [this](Result<PlacedAgent> agent) {
      if (agent.ok()) placed_.push_back(agent->agent.hello.incarnation);
    });
    loop_.run_for(Duration(0));
  }

  sim::SimLoop loop_;
  PodBackend backend_{loop_};
  const Plan plan_ = plan_of_nodes(2);
  JobId job_;
  std::vector<NodeIndex> lost_;
  std::vector<Incarnation> returned_;
  std::vector<Incarnation> placed_;
};

TEST_F(Pods, Agent_BeforeTheJobHasNodes_Waits) {
  const auto first = come(pod_of(1, "a"), 11);
  begin();
  place(1);
  EXPECT_EQ(placed_, std::vector<Incarnation>{11});
  EXPECT_FALSE(first->dismissed);
  EXPECT_EQ(backend_.address({job_, 1}), "10.0.0.2");
}

TEST_F(Pods, RestartedContainer_LosesTheNode_AndItsAgentIsPlacedNext) {
  begin();
  place(0);
  come(pod_of(0, "a"), 11);
  come(pod_of(0, "a"), 12);
  EXPECT_EQ(lost_, std::vector<NodeIndex>{0});
  place(0);
  EXPECT_EQ(placed_, (std::vector<Incarnation>{11, 12}));
}

TEST_F(Pods, ReplacementPod_WaitsUntilTheOldOneIsReleased) {
  begin();
  place(0);
  come(pod_of(0, "a"), 11);
  const auto newer = come(pod_of(0, "b"), 12);
  EXPECT_TRUE(lost_.empty());
  EXPECT_FALSE(newer->dismissed);
  backend_.release({job_, 0});
  place(0);
  EXPECT_EQ(placed_, (std::vector<Incarnation>{11, 12}));
}

TEST_F(Pods, AgentThatReconnects_IsNotANewAgent) {
  begin();
  place(0);
  come(pod_of(0, "a"), 11);
  come(pod_of(0, "a"), 11);
  come(pod_of(0, "a"), 11, job_);
  EXPECT_EQ(returned_, (std::vector<Incarnation>{11, 11}));
  EXPECT_TRUE(lost_.empty());
}

TEST_F(Pods, WaitingAgentThatDisconnects_IsForgotten) {
  const auto gone = come(pod_of(0, "a"), 11);
  gone->on_closed(Status(Code::unavailable, "closed"));
  loop_.run_for(Duration(0));
  begin();
  place(0);
  EXPECT_TRUE(placed_.empty());
  come(pod_of(0, "a"), 12);
  EXPECT_EQ(placed_, std::vector<Incarnation>{12});
}

TEST_F(Pods, Agent_AfterTheJobsEnd_IsDismissedWithTheResult) {
  const auto waits = come(pod_of(0, "a"), 11);
  backend_.job_over("it failed", false);
  EXPECT_EQ(waits->dismissed, (Dismiss{"it failed", false, false}));
  EXPECT_EQ(come(pod_of(1, "b"), 12)->dismissed, (Dismiss{"it failed", false, false}));
}

TEST_F(Pods, VerdictPod_IsAnsweredAfterTheJobsEnd) {
  PodSelf asks;
  asks.verdict = true;
  const auto early = come(asks, 1);
  EXPECT_FALSE(early->dismissed);
  EXPECT_FALSE(backend_.verdict_given());
  backend_.job_over("it failed", false);
  EXPECT_TRUE(backend_.verdict_given());
  EXPECT_EQ(early->dismissed->why, "it failed");
  EXPECT_EQ(come(asks, 1)->dismissed->why, "it failed");
}

// The earlier coordinator was lost after its job had failed, and no agent keeps the journal.
TEST_F(Pods, VerdictPod_WithoutAKnownJob_IsToldThatTheJobFailed) {
  PodSelf asks;
  asks.verdict = true;
  backend_.wait_for_all();
  begin();
  place(0);
  const auto verdict = come(asks, 1);
  loop_.run_for(std::chrono::seconds(29));
  EXPECT_FALSE(verdict->dismissed);
  loop_.run_for(std::chrono::seconds(2));
  EXPECT_EQ(verdict->dismissed,
            (Dismiss{"the job failed, and its coordinator was lost before it reported the reason", false, false}));
}

TEST_F(Pods, VerdictPod_WhileTheJobRuns_Waits) {
  PodSelf asks;
  asks.verdict = true;
  begin();
  const auto verdict = come(asks, 1);
  loop_.run_for(std::chrono::minutes(5));
  EXPECT_FALSE(verdict->dismissed);
}

TEST_F(Pods, WaitForAll_HandsOverNoAgentBeforeAllConnected) {
  backend_.wait_for_all();
  begin();
  place(0);
  place(1);
  come(pod_of(0, "a"), 11);
  EXPECT_TRUE(placed_.empty());
  come(pod_of(1, "b"), 12);
  EXPECT_EQ(placed_, (std::vector<Incarnation>{11, 12}));
  place(0);
  come(pod_of(0, "a"), 13);
  EXPECT_EQ(placed_, (std::vector<Incarnation>{11, 12, 13}));
}

TEST_F(Pods, AgentOfAnEarlierJob_BringsItsJournal) {
  std::vector<std::string> found;
  backend_.on_found([&](const std::string& packed) { found.push_back(packed); });
  backend_.wait_for_all();
  begin();
  place(0);
  place(1);
  come(pod_of(0, "a"), 11);
  Random random(8);
  const JobId earlier = JobId::make(random);
  const auto silent = come(pod_of(1, "b"), 12, earlier);
  EXPECT_TRUE(found.empty());
  const auto keeper = come(pod_of(1, "b"), 13, earlier, "journal");
  EXPECT_EQ(found, std::vector<std::string>{"journal"});
  EXPECT_TRUE(placed_.empty());
  EXPECT_FALSE(keeper->dismissed);
  loop_.run_for(std::chrono::seconds(15));
  EXPECT_TRUE(silent->dismissed && keeper->dismissed) << "no agent had the journal";
}

TEST_F(Pods, Agent_OfAnotherJob_IsRefused) {
  begin();
  EXPECT_EQ(come(pod_of(2, "a"), 11)->dismissed->why, "the job has no node 2 in its group 0");
  auto heard = std::make_shared<Heard>();
  backend_.agent_arrived({std::make_unique<PodChannel>(heard), {}, "10.0.0.9"});
  EXPECT_EQ(heard->dismissed->why, "only pods of this job may connect");
}

TEST(PodPlan, Plan_HasANodePerPod_WithGpusByIndex) {
  JobSpec spec;
  spec.name = "job";
  spec.groups = {GroupSpec{}, GroupSpec{}};
  spec.groups[0].max_nodes = 2;
  spec.groups[0].workers = {false, 2};
  spec.groups[0].worker.gpus = {false, 2};
  spec.groups[1].name = "eval";
  sim::SimLoop loop;
  const auto plan = PodBackend(loop).plan(spec, {}, {});
  ASSERT_TRUE(plan.ok());
  ASSERT_EQ(plan->nodes.size(), 3u);
  EXPECT_EQ(plan->nodes[1].host, "job-worker-0-1");
  EXPECT_EQ(plan->nodes[2].host, "job-eval-0-0");
  const PlannedRank& last = plan->ranks[3];
  EXPECT_EQ(last.world_rank, 3u);
  EXPECT_EQ(last.world_size, 4u);
  ASSERT_EQ(last.gpus.size(), 2u);
  EXPECT_EQ(last.gpus[0].uuid, "2");
  EXPECT_EQ(last.gpus[1].uuid, "3");
}

}  // namespace
}  // namespace muster
