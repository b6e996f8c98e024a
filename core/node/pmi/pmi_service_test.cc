// SPDX-License-Identifier: Apache-2.0
// Shell scripts play ranks of MPICH: they write to their descriptor 3 and read from it.
#include "core/node/pmi/pmi_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/node/pmi/mpich_memory.h"
#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Asks for something and prints the answer.
constexpr const char* kAsk =
    "ask() { echo \"$1\" >&3; read -r answer <&3; echo \"$answer\"; }\n"
    "ask 'cmd=init pmi_version=1 pmi_subversion=1'\n";

class PmiServiceTest : public ProcessHostTest {
 protected:
  PmiServiceTest() {
    std::filesystem::create_directories(folder_ + "/bin");
    std::filesystem::create_directories(folder_ + "/lib");
    std::filesystem::copy_file("/bin/sh", folder_ + "/bin/rank");
  }

  // Starts the service for node `node` of this world.
  void start(std::vector<MpiNode> nodes, uint32_t node, std::vector<uint32_t> indices, bool mpich = true) {
    if (mpich) std::ofstream(folder_ + "/lib/libmpi.so.12") << "text";
    DesiredState desired;
    desired.run = true;
    desired.mpi = MpiTask{"muster-x-1", std::move(nodes), node, std::move(indices)};
    const auto ranks = [this] { return std::vector<SpawnRequest>{request({folder_ + "/bin/rank"})}; };
    const ServiceRendezvous rendezvous = [this](const RendezvousCall& call, const auto& answer) {
      calls.push_back(call);
      if (call.key.find("/link") != std::string::npos) return;
      answer(calls.size() <= lost ? RendezvousAnswer{Status(Code::unavailable, "call again"), "", {}} : answered);
    };
    ServiceEvents events;
    events.ready = [this] { said.push_back("ready"); };
    events.failed = [this](const std::string& why) { said.push_back(why); };
    events.trouble = [this](const std::string& what) { said.push_back(what); };
    events.changed = [this] { ++changes; };
    events.kill = [this](uint32_t index) { killed.push_back(index); };
    service.start({Bind(), desired, NodePorts(), ranks, rendezvous}, events);
    EXPECT_TRUE(wait_for([&] { return !said.empty(); }));
  }

  ExitStatus run_rank(uint32_t index, const std::string& script) {
    const RankGift gift = service.gift(index);
    SpawnRequest rank = request({folder_ + "/bin/rank", "-c", kAsk + script});
    for (const auto& [name, value] : gift.environment) rank.environment.push_back(name + "=" + value);
    rank.passed = gift.descriptor;
    return run(rank);
  }

  MpiProgramSearch programs{loop_};
  PmiService service{loop_, programs, folder_ + "/mpi", "node-a"};
  std::vector<std::string> said;
  std::vector<RendezvousCall> calls;
  size_t lost = 0;
  RendezvousAnswer answered;
  int changes = 0;
  std::vector<uint32_t> killed;
};

TEST_F(PmiServiceTest, ARankOfMpich_IsServed) {
  start({{"a", {0}}}, 0, {7});
  EXPECT_THAT(said, ElementsAre("ready"));
  const ExitStatus exit =
      run_rank(7, "echo $PMI_FD $PMI_RANK $PMI_SIZE\nask cmd=get_my_kvsname\nask cmd=barrier_in\nask cmd=finalize");
  EXPECT_EQ(output(),
            "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n3 0 1\ncmd=my_kvsname rc=0 kvsname=muster-x-1\n"
            "cmd=barrier_out rc=0\ncmd=finalize_ack rc=0\n");
  EXPECT_EQ(service.fault(7, exit).why, "");
  EXPECT_EQ(changes, 1);
  Report report;
  service.tell(report);
  EXPECT_NE(report.met, TimePoint());
}

TEST_F(PmiServiceTest, MoreRanksThanCpus_GiveWayWhenTheyWait) {
  std::vector<Rank> many(4096);
  std::iota(many.begin(), many.end(), 1);
  start({{"b-node-0", {0}}, {"b-node-1", many}}, 0, {7});
  EXPECT_EQ(service.gift(7).environment.at("I_MPI_THREAD_YIELD"), "2");
  service.stop();
  start({{"b", {0}}, {"c", many}}, 0, {7});
  EXPECT_EQ(service.gift(7).environment.count("I_MPI_THREAD_YIELD"), 0u) << "they are on another machine";
}

TEST_F(PmiServiceTest, ARankOfAnotherLibrary_GetsNothing) {
  start({{"a", {0, 1}}}, 0, {7, 8}, false);
  EXPECT_THAT(said, ElementsAre("ready"));
  EXPECT_EQ(service.gift(7).descriptor, -1);
  EXPECT_EQ(service.fault(7, ExitStatus()).why, "");
}

TEST_F(PmiServiceTest, NodesExchangeTheirValues_AlsoWhenTheLinkWasLost) {
  lost = 3;  // all calls but the second one that waits for the other node
  answered.value = "1:b3:two";
  start({{"a", {0}}, {"b", {1}}}, 0, {7});
  run_rank(
      7,
      "ask 'cmd=put kvsname=muster-x-1 key=a value=one'\nask cmd=barrier_in\nask 'cmd=get kvsname=muster-x-1 key=b'");
  ASSERT_EQ(calls.size(), 4u);
  EXPECT_EQ(calls[1].kind, RendezvousCall::Kind::set);
  EXPECT_EQ(calls[1].key, "pmi/muster-x-1/1/0");
  EXPECT_EQ(calls[1].value, "1:a3:one");
  EXPECT_EQ(calls[3].kind, RendezvousCall::Kind::wait);
  EXPECT_EQ(calls[3].key, "pmi/muster-x-1/1/1");
  EXPECT_THAT(output(), HasSubstr("cmd=get_result rc=0 msg=success value=two\n"));
}

TEST_F(PmiServiceTest, ARankThatReadsLate_GetsEveryAnswer) {
  start({{"a", {0}}}, 0, {7});
  run_rank(7,
           "value=$(printf %0900d 1)\nask \"cmd=put kvsname=muster-x-1 key=a value=$value\"\nask cmd=barrier_in\n"
           "each() { count=0; while [ $count -lt 600 ]; do $1; count=$((count + 1)); done; }\n"
           "want() { echo 'cmd=get kvsname=muster-x-1 key=a' >&3; }\neach want\n"
           "take() { read -r answer <&3 || exit 1; }\neach take\necho \"end ${answer#*value=}\"");
  EXPECT_THAT(output(), testing::EndsWith("end " + std::string(899, '0') + "1\n"));
}

TEST_F(PmiServiceTest, MpiAbort_IsTheFault) {
  start({{"a", {0, 1}}}, 0, {7, 8});
  const ExitStatus exit = run_rank(8, "echo 'cmd=abort exitcode=5 message=x' >&3; exit 5");
  EXPECT_EQ(service.fault(8, exit).why, "called MPI_Abort(5)");
  EXPECT_EQ(service.fault(8, exit).code, 5);
  EXPECT_TRUE(service.fault(8, exit).exact) << "however it is killed";
  EXPECT_THAT(killed, ElementsAre(8));
}

TEST_F(PmiServiceTest, Stop_MemoryThatKilledRanksLeft_IsGone) {
  start({{"a", {0}}, {"b", {1, 2}}}, 1, {7, 8});
  const std::string name = "/dev/shm/" + mpich_memory("muster-x-1", 1).front();
  EXPECT_EQ(name, "/dev/shm/mpich_shm_b1dd6dfc_1");
  std::ofstream(name) << "bytes";
  service.stop();
  EXPECT_FALSE(std::filesystem::exists(name));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/mpi"));
}

TEST_F(PmiServiceTest, AnEndWithoutFinalize_IsAFault) {
  start({{"a", {0, 1}}}, 0, {7, 8});
  EXPECT_EQ(service.fault(7, run_rank(7, "exit 0")).why,
            "its program ended with exit code 0, but without MPI_Finalize");
}

TEST_F(PmiServiceTest, AScriptWithoutMpi_ThatExitsWithZero_IsOnlyWarnedOf) {
  start({{"a", {0, 1}}}, 0, {7, 8});
  for (const uint32_t index : {8, 7}) EXPECT_EQ(service.fault(index, ExitStatus()).why, "");
  EXPECT_THAT(said, ElementsAre("ready", HasSubstr("rank 1 ended without joining the MPI world of 2 ranks")));
}

TEST_F(PmiServiceTest, OtherBytes_EndTheJob) {
  start({{"a", {0, 1}}}, 0, {7, 8});
  run_rank(7, "echo 'GET / HTTP/1.1' >&3");
  EXPECT_TRUE(wait_for([&] { return said.size() == 2; }));
  EXPECT_THAT(said.back(), HasSubstr("MPI on node-a: rank 0 does not speak PMI as MPICH does"));
}

}  // namespace
}  // namespace muster
