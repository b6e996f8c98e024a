// SPDX-License-Identifier: Apache-2.0
#include "backends/local/local_backend.h"

#include <gmock/gmock.h>

#include "backends/local/shared_leases_test.h"
#include "backends/testing/conformance.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

const std::map<std::string, std::string> kNoEnvironment;
const std::vector<JobHost> kNoHosts;

JobOnNodes on_nodes(const JobId& job, const std::string& name, const Plan& plan, bool anyway) {
  return {job, name, plan, kNoHosts, kNoEnvironment, {}, anyway};
}

// A ProcessHost whose processes are guardians that the test starts and ends.
class Guardians final : public ProcessHost {
 public:
  explicit Guardians(Loop& loop) : loop_(loop) {}

  Result<ProcessHandle> spawn(const SpawnRequest&, ExitHandler on_exit) override {
    if (refuse) return Status(Code::resource_exhausted, "no more processes");
    all_.push_back({true, false, {std::move(on_exit)}});
    return all_.size();
  }
  Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler on_exit) override {
    const auto number = static_cast<size_t>(identity.pid - kFirst);
    if (number >= all_.size() || !all_[number].alive) return Status(Code::not_found, "gone");
    all_[number].on_exit.push_back(std::move(on_exit));
    return number + 1;
  }
  ProcessIdentity identity(ProcessHandle process) const override { return identity_of(process - 1); }
  void signal(ProcessHandle process, int, SignalReach) override {
    all_[process - 1].signalled |= all_[process - 1].alive;
  }
  void sweep(const std::set<int64_t>&, std::function<void(uint32_t)>) override {}
  void end_marked(const std::vector<std::string>& marks, std::function<void()> done) override {
    marked.push_back(marks);
    loop_.post(std::move(done));
  }
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}

  static ProcessIdentity identity_of(size_t number) { return {kFirst + static_cast<int64_t>(number), 77}; }
  bool signalled(size_t number) const { return all_[number].signalled; }
  // Simulates that the earlier controller has ended.
  void forget_watchers() {
    for (Guardian& guardian : all_) guardian.on_exit.clear();
  }
  void end(size_t number) {
    all_[number].alive = false;
    for (const ExitHandler& handler : all_[number].on_exit) loop_.post([handler] { handler(ExitStatus{}); });
  }

  bool refuse = false;
  std::vector<std::vector<std::string>> marked;

 private:
  static constexpr int64_t kFirst = 100;
  struct Guardian {
    bool alive = true;
    bool signalled = false;
    std::vector<ExitHandler> on_exit;
  };

  Loop& loop_;
  std::vector<Guardian> all_;
};

class OneMachine final : public MachineInfo {
 public:
  Inventory inventory() override { return machine; }
  std::vector<GpuUser> gpu_users() override { return users; }
  std::string loopback() override { return "localhost"; }
  bool is_stopped(const ProcessIdentity& process) override { return process == stopped; }
  ProcessIdentity stopped;
  std::vector<GpuUser> users;
  Inventory machine{"here", {0, 1, 2, 3}, 0, {}};
};

class LocalLab final : public BackendLab {
 public:
  LocalLab() { reopen(); }

  LocalBackend& backend() override { return *backend_; }
  Inventory& machine() { return machine_.machine; }
  ProcessIdentity& stopped() { return machine_.stopped; }
  std::vector<GpuUser>& gpu_users() { return machine_.users; }
  SharedLeases& leases() { return leases_; }
  void wait(Duration duration) override { loop_.run_for(duration); }
  void refuse_places(bool refuse) override { guardians_.refuse = refuse; }
  void say_hello(size_t agent, std::unique_ptr<ChannelToAgent> channel) override {
    Hello hello;
    hello.guardian = Guardians::identity_of(agent);
    backend_->agent_arrived({std::move(channel), hello});
  }
  void die(size_t agent) override { guardians_.end(agent); }
  bool was_ended(size_t agent) const override { return guardians_.signalled(agent); }
  void reopen() override {
    guardians_.forget_watchers();
    backend_ =
        std::make_unique<LocalBackend>(LocalBackendPorts{loop_, guardians_, machine_, leases_}, LocalAgentCommand{});
  }

 private:
  sim::SimLoop loop_;
  Guardians guardians_{loop_};
  OneMachine machine_;
  SharedLeases leases_;
  std::unique_ptr<LocalBackend> backend_;
};

Holder holder(const std::string& who, const Result<Plan>& plan) { return {who, claim_of(*plan), false}; }

std::unique_ptr<BackendLab> make_local_lab() { return std::make_unique<LocalLab>(); }

JobSpec spec_with_cpus(uint32_t workers, uint32_t cpus) {
  JobSpec spec;
  spec.groups.resize(1);
  spec.groups[0].workers = {false, workers};
  spec.groups[0].worker.cpus = cpus;
  return spec;
}

TEST(LocalBackend, PlansBesideWhatIsHeldOnOtherDevices) {
  LocalLab lab;
  const Result<Plan> first = lab.backend().plan(spec_with_cpus(1, 2), {}, {});
  ASSERT_TRUE(first.ok());
  const Result<Plan> second = lab.backend().plan(spec_with_cpus(1, 2), {holder("first", first)}, {});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->ranks[0].cpus, (std::vector<uint32_t>{2, 3}));
}

TEST(LocalBackend, WhatDoesNotFitNowIsUnavailableAndWhatNeverFitsIsExhausted) {
  LocalLab lab;
  const Result<Plan> first = lab.backend().plan(spec_with_cpus(1, 3), {}, {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(lab.backend().plan(spec_with_cpus(1, 2), {holder("first", first)}, {}).status().code(), Code::unavailable);
  EXPECT_EQ(lab.backend().plan(spec_with_cpus(1, 9), {holder("first", first)}, {}).status().code(),
            Code::resource_exhausted);
}

TEST(LocalBackend, MemoryThatIsAllHeldIsNotTakenForUnknown) {
  LocalLab lab;
  lab.machine().memory_bytes = 4ULL << 30;
  JobSpec spec = spec_with_cpus(1, 0);
  spec.groups[0].worker.memory_bytes = 4ULL << 30;
  const Result<Plan> first = lab.backend().plan(spec, {}, {});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(lab.backend().plan(spec, {holder("first", first)}, {}).status().message(),
            "4 GiB of memory: first holds 4 GiB");
}

TEST(LocalBackend, StoppedAgent_OfANodeThatIsKnown_HasItsPid) {
  LocalLab lab;
  Random random(7);
  const NodeRef node{JobId::make(random), 0};
  EXPECT_EQ(lab.backend().stopped_agent(node), std::nullopt);
  lab.backend().adopt(node, "100@77+101@77");
  EXPECT_EQ(lab.backend().stopped_agent(node), std::nullopt);
  lab.stopped() = {101, 77};
  EXPECT_EQ(lab.backend().stopped_agent(node), 101);
}

TEST(LocalBackend, ARangeOfNodesKeepsItsNumberWhileItWaits) {
  LocalLab lab;
  const Result<Plan> first = lab.backend().plan(spec_with_cpus(1, 2), {}, {});
  ASSERT_TRUE(first.ok());
  JobSpec range = spec_with_cpus(1, 2);
  range.groups[0].max_nodes = 4;
  const Result<Plan> alone = lab.backend().plan(range, {}, {});
  ASSERT_TRUE(alone.ok());
  EXPECT_EQ(alone->nodes.size(), 2u) << "of 4 CPUs";
  EXPECT_EQ(lab.backend().plan(range, {holder("first", first)}, {}).status().code(), Code::unavailable);
}

TEST(LocalBackend, ANodeThatIsPlacedAgainWhileWhatItLeftIsEndedIsNotTakenForGone) {
  LocalLab lab;
  Random random(7);
  const NodeRef node{JobId::make(random), 0};
  std::vector<std::string> lost;
  lab.backend().on_lost([&](const NodeRef&, const std::string& reason) { lost.push_back(reason); });
  lab.backend().adopt(node, "");
  std::vector<Result<PlacedAgent>> placed;
  lab.backend().place(node, [&](Result<PlacedAgent> agent) { placed.push_back(std::move(agent)); });
  lab.wait(Duration(0));
  ASSERT_TRUE(placed.empty());
  lab.say_hello(0, nullptr);
  ASSERT_EQ(placed.size(), 1u);
  EXPECT_TRUE(placed[0].ok());
  EXPECT_TRUE(lost.empty());
}

JobSpec spec_for_all_gpus() {
  JobSpec spec;
  spec.groups.resize(1);
  spec.groups[0].workers = {true, 0};
  spec.groups[0].worker.gpus = {true, 0};
  return spec;
}

JobSpec spec_with_gpus(uint32_t workers) {
  JobSpec spec = spec_for_all_gpus();
  spec.groups[0].workers = {false, workers};
  spec.groups[0].worker.gpus = {false, 1};
  return spec;
}

std::vector<uint32_t> gpus_of(const Result<Plan>& plan) {
  std::vector<uint32_t> indices;
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  if (!plan.ok()) return indices;
  for (const PlannedRank& rank : plan->ranks) {
    for (const Gpu& gpu : rank.gpus) indices.push_back(gpu.index);
  }
  return indices;
}

class FourGpus : public testing::Test {
 protected:
  FourGpus() {
    for (uint32_t i = 0; i < 4; ++i) lab_.machine().gpus.push_back({i, "GPU-" + std::to_string(i) + "0"});
  }
  LocalLab lab_;
  LocalBackend& backend_ = lab_.backend();
  Random random_{7};
};

TEST_F(FourGpus, WorkersAutoIsARankForEachGpuThatTheShellMaySee) {
  EXPECT_EQ(gpus_of(backend_.plan(spec_for_all_gpus(), {}, {})), (std::vector<uint32_t>{0, 1, 2, 3}));
  const Result<Plan> one = backend_.plan(spec_for_all_gpus(), {}, JobOrigin{"1", {}});
  EXPECT_EQ(gpus_of(one), std::vector<uint32_t>{1});
  EXPECT_EQ(one->ranks.size(), 1u);
  EXPECT_EQ(gpus_of(backend_.plan(spec_for_all_gpus(), {}, JobOrigin{"GPU-3,0", {}})), (std::vector<uint32_t>{3, 0}));
  const Result<Plan> none = backend_.plan(spec_for_all_gpus(), {}, JobOrigin{"", {}});
  EXPECT_TRUE(gpus_of(none).empty());
  EXPECT_EQ(none->ranks.size(), 1u);
}

TEST_F(FourGpus, AJobThatOnlyItsShellKeepsFromFittingIsToldSo) {
  const Status refused = backend_.plan(spec_with_gpus(2), {}, JobOrigin{"1", {}}).status();
  EXPECT_EQ(refused.code(), Code::resource_exhausted);
  EXPECT_THAT(refused.message(), testing::EndsWith("; CUDA_VISIBLE_DEVICES=\"1\" limits the job to 1 of 4 GPUs"));
  const Status never = backend_.plan(spec_with_gpus(5), {}, JobOrigin{"1", {}}).status();
  EXPECT_THAT(never.message(), testing::Not(testing::HasSubstr("CUDA_VISIBLE_DEVICES")));
}

TEST_F(FourGpus, AJobWaitsForAGpuItMaySeeAndForNoOther) {
  const Result<Plan> left = backend_.plan(spec_with_gpus(1), {}, JobOrigin{"0", {}});
  const Result<Plan> right = backend_.plan(spec_with_gpus(1), {}, JobOrigin{"1", {}});
  ASSERT_TRUE(left.ok() && right.ok());
  const std::vector<Holder> held = {holder("left", left), holder("right", right)};
  EXPECT_EQ(gpus_of(backend_.plan(spec_with_gpus(1), held, JobOrigin{"1,2", {}})), std::vector<uint32_t>{2});
  const Status waits = backend_.plan(spec_with_gpus(1), held, JobOrigin{"1", {}}).status();
  EXPECT_EQ(waits.code(), Code::unavailable);
  EXPECT_EQ(waits.message(), "1 GPU: right holds 1");
}

MachineShare share_of(const JobId& job, Claim claim) {
  return {job.text(), "llm", "bob", 4711, true, std::move(claim)};
}

TEST_F(FourGpus, TheRoomNamesJobsOfOthersAndProcessesThatNoJobExplains) {
  const JobId llm = JobId::make(random_);
  lab_.leases().shares = {share_of(llm, {{"GPU-00"}, {2}, 1 << 30})};
  lab_.gpu_users() = {{"GPU-00", 12, "bob", "python"},
                      {"GPU-30", 811, "eve", "python"},
                      {"GPU-20", 811, "eve", "python"},
                      {"GPU-10", 99, "", ""}};
  const Room room = backend_.room(true);
  ASSERT_EQ(room.others.size(), 3u);
  EXPECT_EQ(room.others[0], (Holder{"bob's job llm, pid 4711,", {{"GPU-00"}, {2}, 1 << 30}, false, llm.text()}));
  EXPECT_EQ(room.others[1], (Holder{"a process that muster cannot identify, pid 99,", {{"GPU-10"}, {}, 0}, true}));
  EXPECT_EQ(room.others[2], (Holder{"eve's python, pid 811,", {{"GPU-20", "GPU-30"}, {}, 0}, true}));
  EXPECT_EQ(backend_.room(false).others.size(), 1u) << "no job needs a GPU";
}

TEST_F(FourGpus, WhatSomebodyTookMeanwhileIsNotClaimed) {
  const JobId mine = JobId::make(random_);
  const Result<Plan> plan = backend_.plan(spec_with_gpus(2), {}, {});
  lab_.leases().shares = {share_of(JobId::make(random_), {{"GPU-10"}, {}, 0})};
  const Status refused = backend_.claim(on_nodes(mine, "mine", *plan, false));
  EXPECT_EQ(refused, Status(Code::unavailable, "resources that bob's job llm, pid 4711, has just taken"));
  lab_.leases().shares.clear();
  EXPECT_TRUE(backend_.claim(on_nodes(mine, "mine", *plan, false)).ok());
  EXPECT_TRUE(backend_.room(true).others.empty()) << "our own job is not among the others";
  ASSERT_EQ(lab_.leases().shares.size(), 1u);
  EXPECT_EQ(lab_.leases().shares[0].claim.gpus, (std::set<std::string>{"GPU-00", "GPU-10"}));
  backend_.unclaim(mine);
  EXPECT_TRUE(lab_.leases().shares.empty());
}

TEST_F(FourGpus, WhatOurEndedJobsAgentsStillTellIsInNobodysWay) {
  const JobId ended = JobId::make(random_);
  const Result<Plan> plan = backend_.plan(spec_with_gpus(4), {}, {});
  ASSERT_TRUE(backend_.claim(on_nodes(ended, "ended", *plan, false)).ok());
  backend_.unclaim(ended);
  lab_.leases().shares = {share_of(ended, claim_of(*plan))};
  EXPECT_TRUE(backend_.room(true).others.empty());
  EXPECT_TRUE(backend_.claim(on_nodes(JobId::make(random_), "next", *plan, false)).ok());
}

TEST(LocalBackend, MemoryIsClaimedNoMoreThanThereIs) {
  LocalLab lab;
  Random random(7);
  lab.machine().memory_bytes = 4ULL << 30;
  JobSpec spec = spec_with_cpus(1, 0);
  spec.groups[0].worker.memory_bytes = 3ULL << 30;
  const Result<Plan> plan = lab.backend().plan(spec, {}, {});
  lab.leases().shares = {share_of(JobId::make(random), {{}, {}, 2ULL << 30})};
  EXPECT_EQ(lab.backend().claim(on_nodes(JobId::make(random), "mine", *plan, false)).code(), Code::unavailable);
  EXPECT_TRUE(lab.backend().claim(on_nodes(JobId::make(random), "mine", *plan, true)).ok()) << "it runs already";
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(Local, BackendConformance, testing::Values(&make_local_lab));
INSTANTIATE_TEST_SUITE_P(Local, StarterConformance, testing::Values(&make_local_lab));

}  // namespace muster
