// SPDX-License-Identifier: Apache-2.0
// Agents that come back from a job and wait for the next job.
#include <gtest/gtest.h>

#include <csignal>

#include "backends/local/local_backend.h"
#include "backends/local/shared_leases_test.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

// Every process runs except `dead`; a handle is the process's pid.
class Processes final : public ProcessHost {
 public:
  Result<ProcessHandle> spawn(const SpawnRequest&, ExitHandler) override { return ++started; }
  Result<ProcessHandle> adopt(const ProcessIdentity& identity, ExitHandler) override {
    if (dead == identity.pid) return Status(Code::not_found, "gone");
    ++adopted;
    return static_cast<ProcessHandle>(identity.pid);
  }
  ProcessIdentity identity(ProcessHandle process) const override {
    const auto pid = static_cast<int64_t>(process);
    return dead == pid ? ProcessIdentity{} : ProcessIdentity{pid, 1};
  }
  void signal(ProcessHandle process, int number, SignalReach) override {
    (number == SIGCONT ? resumed : signalled).push_back(process);
  }
  void sweep(const std::set<int64_t>&, std::function<void(uint32_t)>) override {}
  void end_marked(const std::vector<std::string>&, std::function<void()>) override {}
  void write_tty(ProcessHandle, std::string_view) override {}
  void resize_tty(ProcessHandle, uint16_t, uint16_t) override {}

  ProcessHandle started = 0;
  uint32_t adopted = 0;
  int64_t dead = 0;
  std::vector<ProcessHandle> signalled;  // except with SIGCONT
  std::vector<ProcessHandle> resumed;
};

class Machine final : public MachineInfo {
 public:
  Inventory inventory() override { return {}; }
  std::string loopback() override { return "127.0.0.1"; }
  std::optional<uint32_t> free_memory_permille() override { return free_memory; }
  uint64_t usable_memory_bytes() override { return usable; }
  uint64_t memory_of(int64_t pid) override { return memory[pid]; }
  bool runs(const ProcessIdentity& process) override { return process.pid != ended; }

  std::optional<uint32_t> free_memory;
  uint64_t usable = 0;
  int64_t ended = 0;
  std::map<int64_t, uint64_t> memory;
};

class Channel final : public ChannelToAgent {
 public:
  explicit Channel(uint32_t* dismissed) : dismissed_(dismissed) {}
  void send(const CoordinatorMessage& message) override {
    if (std::holds_alternative<Dismiss>(message)) ++*dismissed_;
  }
  void listen(std::function<void(const AgentMessage&)>, std::function<void(const Status&)> closed) override {
    closed_ = std::move(closed);
  }
  void close() { closed_(Status(Code::unavailable, "closed")); }

 private:
  uint32_t* dismissed_;
  std::function<void(const Status&)> closed_;
};

class ReturnedAgents : public testing::Test {
 protected:
  ReturnedAgents() : backend_({loop_, processes_, machine_, leases_}, LocalAgentCommand{}) {}

  NodeRef node(uint32_t number) {
    Random random(number);
    return {JobId::make(random), 0};
  }
  // An agent connects for the first time.
  Channel* hello(int64_t guardian) { return arrive(guardian, false, ""); }
  Channel* return_with(int64_t guardian, const std::string& warm) { return arrive(guardian, true, warm); }
  Channel* arrive(int64_t guardian, bool returned, const std::string& warm) {
    Hello hello;
    hello.incarnation = ++incarnations_;
    hello.guardian = {guardian, 1};
    hello.process = {guardian + 1000, 1};
    hello.returned = returned;
    hello.warm = warm;
    auto channel = std::make_unique<Channel>(&dismissed_);
    Channel* said = channel.get();
    backend_.agent_arrived({std::move(channel), hello});
    loop_.run_for(Duration(0));
    return said;
  }
  void place(const NodeRef& node, bool warm = true) {
    const Plan plan;
    const std::vector<JobHost> hosts;
    const std::map<std::string, std::string> environment;
    EXPECT_TRUE(backend_.claim({node.job, "job", plan, hosts, environment, {}, false, warm}).ok());
    backend_.place(node, [this](Result<PlacedAgent> agent) { placed_.push_back(std::move(agent)); });
    loop_.run_for(Duration(0));
  }
  // A job runs on a new agent, which then comes back.
  Channel* job_ended(uint32_t number, const std::string& warm = "train.py") {
    place(node(number));
    const auto guardian = static_cast<int64_t>(processes_.started);
    hello(guardian);
    backend_.release(node(number));
    return return_with(guardian, warm);
  }

  sim::SimLoop loop_;
  Processes processes_;
  Machine machine_;
  SharedLeases leases_;
  LocalBackend backend_;
  uint64_t incarnations_ = 0;
  uint32_t dismissed_ = 0;
  std::vector<Result<PlacedAgent>> placed_;
};

TEST_F(ReturnedAgents, TheNextJobGetsTheOneThatCameBack) {
  job_ended(1);
  ASSERT_EQ(backend_.idle_agents().size(), 1u);
  EXPECT_EQ(backend_.idle_agents()[0].warm, "train.py");
  place(node(2));
  EXPECT_EQ(processes_.started, 1u) << "no new agent";
  ASSERT_EQ(placed_.size(), 2u);
  EXPECT_EQ(placed_[1]->agent.hello.guardian.pid, 1);
  EXPECT_TRUE(backend_.idle_agents().empty());
  loop_.run_for(std::chrono::minutes(1));
  EXPECT_TRUE(processes_.signalled.empty()) << "the earlier release kills no process";
}

TEST_F(ReturnedAgents, AgentOfManyJobs_NextJob_IsNotWatchedOnceMore) {
  job_ended(1);
  for (const uint32_t number : {2, 3, 4}) {
    place(node(number));
    backend_.release(node(number));
    return_with(1, "train.py");
  }
  EXPECT_EQ(processes_.started, 1u);
  EXPECT_EQ(processes_.adopted, 0u) << "each watch holds a descriptor until the agent ends";
}

TEST_F(ReturnedAgents, Place_WhoseWaitingAgentWasKilled_StartsANewOne) {
  job_ended(1);
  machine_.ended = 1001;  // its guardian has not noticed yet
  place(node(2));
  EXPECT_EQ(processes_.started, 2u);
  EXPECT_TRUE(backend_.idle_agents().empty());
}

TEST_F(ReturnedAgents, AJobThatBeginsNothingWarmLeavesItToOthers) {
  job_ended(1);
  place(node(2), false);
  EXPECT_EQ(processes_.started, 2u);
  EXPECT_EQ(backend_.idle_agents().size(), 1u);
}

TEST_F(ReturnedAgents, OneWithNothingWarmIsForAnyJob) {
  job_ended(1, "");
  ASSERT_EQ(backend_.idle_agents().size(), 1u);
  EXPECT_EQ(backend_.idle_agents()[0].warm, "");
  place(node(2), false);
  EXPECT_EQ(processes_.started, 1u) << "no new agent";
  EXPECT_TRUE(backend_.idle_agents().empty());
}

TEST_F(ReturnedAgents, AJobThatBeginsWarmPrefersWhatIsWarm) {
  for (const uint32_t number : {1, 2}) place(node(number));
  for (const int64_t guardian : {1, 2}) hello(guardian);
  for (const uint32_t number : {1, 2}) backend_.release(node(number));
  return_with(1, "train.py");
  return_with(2, "");
  EXPECT_EQ(backend_.idle_agents().size(), 2u);
  place(node(3));
  place(node(4));
  EXPECT_EQ(processes_.started, 2u);
  ASSERT_EQ(placed_.size(), 4u);
  EXPECT_EQ(placed_[2]->agent.hello.guardian.pid, 1);
  EXPECT_EQ(placed_[3]->agent.hello.guardian.pid, 2);
}

TEST_F(ReturnedAgents, OfThoseWithNothingWarmTheNewestStays) {
  for (const uint32_t number : {1, 2}) place(node(number));
  for (const int64_t guardian : {1, 2}) hello(guardian);
  for (const uint32_t number : {1, 2}) backend_.release(node(number));
  for (const int64_t guardian : {1, 2}) return_with(guardian, "");
  ASSERT_EQ(backend_.idle_agents().size(), 1u);
  EXPECT_EQ(backend_.idle_agents()[0].pid, 1002);
  EXPECT_EQ(dismissed_, 1u);
}

TEST_F(ReturnedAgents, OneThatIsAboutToComeBackIsEndedWithThoseThatWait) {
  place(node(1));
  hello(1);
  backend_.release(node(1));
  EXPECT_EQ(backend_.end_idle_agents(), 0u);
  return_with(1, "");
  EXPECT_TRUE(backend_.idle_agents().empty());
  EXPECT_EQ(dismissed_, 1u);
}

TEST_F(ReturnedAgents, OneThatDiedMeanwhileIsNotTaken) {
  job_ended(1);
  processes_.dead = 1;
  place(node(2));
  EXPECT_EQ(processes_.started, 2u);
}

TEST_F(ReturnedAgents, OneWhoseChannelClosedIsForgotten) {
  Channel* channel = job_ended(1);
  channel->close();
  loop_.run_for(Duration(0));
  EXPECT_TRUE(backend_.idle_agents().empty());
}

TEST_F(ReturnedAgents, TheOldestLeaveWhereThereAreMany) {
  // Three jobs at once, so that none is given another's agent.
  for (const uint32_t number : {1, 2, 3}) place(node(number));
  for (const int64_t guardian : {1, 2, 3}) hello(guardian);
  for (const uint32_t number : {1, 2, 3}) backend_.release(node(number));
  for (const int64_t guardian : {1, 2, 3}) return_with(guardian, "train.py");
  EXPECT_EQ(backend_.idle_agents().size(), 2u);
  EXPECT_EQ(dismissed_, 1u);
  EXPECT_EQ(backend_.idle_agents()[0].pid, 1002);
  EXPECT_EQ(backend_.end_idle_agents(), 2u);
  EXPECT_EQ(dismissed_, 3u);
  EXPECT_TRUE(backend_.idle_agents().empty());
}

TEST_F(ReturnedAgents, TheyLeaveWhereMemoryBecomesScarceTheOldestFirst) {
  for (const uint32_t number : {1, 2}) place(node(number));
  for (const int64_t guardian : {1, 2}) hello(guardian);
  for (const uint32_t number : {1, 2}) backend_.release(node(number));
  for (const int64_t guardian : {1, 2}) return_with(guardian, "train.py");
  machine_.free_memory = 60;
  loop_.run_for(std::chrono::minutes(1));
  EXPECT_EQ(backend_.idle_agents().size(), 2u);
  machine_.free_memory = 40;
  loop_.run_for(std::chrono::seconds(5));
  ASSERT_EQ(backend_.idle_agents().size(), 1u);
  EXPECT_EQ(backend_.idle_agents()[0].pid, 1002);
  loop_.run_for(std::chrono::seconds(5));
  EXPECT_TRUE(backend_.idle_agents().empty());
  EXPECT_EQ(dismissed_, 2u);
}

TEST_F(ReturnedAgents, WarmAgentsKeepTooMuchMemory_TheOldestIsDismissed) {
  for (const uint32_t number : {1, 2}) place(node(number));
  for (const int64_t guardian : {1, 2}) hello(guardian);
  for (const uint32_t number : {1, 2}) backend_.release(node(number));
  machine_.usable = 20'000;
  machine_.memory = {{1001, 600}, {1002, 400}};
  for (const int64_t guardian : {1, 2}) return_with(guardian, "train.py");
  loop_.run_for(std::chrono::seconds(30));
  ASSERT_EQ(backend_.idle_agents().size(), 2u) << "a twentieth of the memory";
  EXPECT_EQ(backend_.idle_agents()[1].memory_bytes, 400u);
  machine_.usable = 19'000;
  loop_.run_for(std::chrono::seconds(5));
  ASSERT_EQ(backend_.idle_agents().size(), 1u);
  EXPECT_EQ(backend_.idle_agents()[0].pid, 1002);
}

TEST(WaitingAgentsInTime, AgentWaitsLong_IsDismissedThoughTheControllerStays) {
  sim::SimLoop loop;
  Processes processes;
  Machine machine;
  uint32_t dismissed = 0;
  WaitingAgents waiting({loop, processes, machine}, std::chrono::minutes(10));
  Hello hello;
  hello.warm = "train.py";
  waiting.add({std::make_unique<Channel>(&dismissed), hello}, 1);
  loop.run_for(std::chrono::minutes(9));
  hello.incarnation = 2;
  waiting.add({std::make_unique<Channel>(&dismissed), hello}, 2);
  EXPECT_EQ(waiting.idle_agents().size(), 2u);
  loop.run_for(std::chrono::seconds(66));
  EXPECT_EQ(waiting.idle_agents().size(), 1u);
  loop.run_for(std::chrono::minutes(9));
  EXPECT_TRUE(waiting.idle_agents().empty());
  EXPECT_EQ(dismissed, 2u);
  EXPECT_EQ(processes.resumed, (std::vector<ProcessHandle>{1, 2})) << "a stopped agent could not leave";
}

TEST_F(ReturnedAgents, OneThatComesBackWhereMemoryIsScarceDoesNotStay) {
  machine_.free_memory = 40;
  job_ended(1);
  loop_.run_for(std::chrono::seconds(1));
  EXPECT_TRUE(backend_.idle_agents().empty());
  EXPECT_EQ(dismissed_, 1u);
}

TEST_F(ReturnedAgents, AStrangerIsSentAway) {
  return_with(7, "train.py");
  EXPECT_TRUE(backend_.idle_agents().empty());
  EXPECT_EQ(dismissed_, 1u);
  place(node(1));
  hello(1);
  return_with(1, "train.py");
  EXPECT_EQ(dismissed_, 2u) << "so is an agent whose job still runs";
}

}  // namespace
}  // namespace muster
