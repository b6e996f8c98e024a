// SPDX-License-Identifier: Apache-2.0
// A Python program plays the helper: it says what a test tells it to say.
#include "core/node/pmix/pmix_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

using testing::HasSubstr;
using Strings = std::vector<std::string>;

constexpr const char* kHelper = R"py(
import socket, struct, sys
def packed(fields):
    return b"".join(struct.pack("<I", len(f)) + f for f in fields)
def say(*fields):
    body = packed([f.encode() if isinstance(f, str) else f for f in fields])
    agent.sendall(struct.pack("<I", len(body)) + body)
def take(count):
    data = b""
    while len(data) < count:
        part = agent.recv(count - len(data))
        if not part: sys.exit(0)
        data += part
    return data
def hear():
    body = take(struct.unpack("<I", take(4))[0])
    fields = []
    while body:
        size = struct.unpack("<I", body[:4])[0]
        fields.append(body[4:4 + size].decode())
        body = body[4 + size:]
    return fields
agent = socket.socket(socket.AF_UNIX)
agent.connect(sys.argv[3])
task = hear()
def ready():
    say("ready", "6.0", packed([b"PMIX_RANK=4", b"PMIX_X=a=b"]), packed([b"PMIX_RANK=5"]))
)py";

class PmixServiceTest : public ProcessHostTest {
 protected:
  // Starts the service with a helper that runs these lines.
  void start(const std::string& lines,
             std::optional<MpiTask> task = MpiTask{"muster-x-1", {{"a", {0}}, {"b", {4, 5}}}, 1, {7, 8}}) {
    std::ofstream(folder_ + "/helper.py") << kHelper << lines << "\n";
    service = std::make_unique<PmixService>(
        loop_, host_, programs,
        PmixPlace{{"/usr/bin/python3", folder_ + "/helper.py"}, folder_ + "/mpi", folder_ + "/shared", "node-b"});
    DesiredState desired;
    desired.run = true;
    desired.mpi = std::move(task);
    const auto ranks = [this] {
      SpawnRequest rank = request({program});
      rank.environment.insert(rank.environment.end(), own.begin(), own.end());
      return std::vector<SpawnRequest>{rank, rank};
    };
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
    service->start({Bind(), desired, NodePorts(), ranks, rendezvous}, events);
  }
  bool wait_said(size_t count) {
    return wait_for([&] { return said.size() >= count; });
  }
  std::string fault(uint32_t index, int code = 0) {
    ExitStatus exit;
    exit.code = code;
    return service->fault(index, exit).why;
  }

  std::string program = "sh";
  Strings own;
  size_t lost = 0;
  RendezvousAnswer answered{Status(), "theirs", {}};
  std::vector<RendezvousCall> calls;
  Strings said;
  int changes = 0;
  MpiProgramSearch programs{loop_};
  std::unique_ptr<PmixService> service;
};

TEST_F(PmixServiceTest, NoMpiJob_IsReadyAtOnce) {
  start("", std::nullopt);
  EXPECT_EQ(said, Strings{"ready"});
  EXPECT_TRUE(service->stopped());
}

TEST_F(PmixServiceTest, Ready_EachRank_GetsItsVariables) {
  start("ready(); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(said, Strings{"ready"});
  EXPECT_EQ(service->gift(7).environment.at("PMIX_RANK"), "4");
  EXPECT_EQ(service->gift(7).environment.at("PMIX_X"), "a=b");
  EXPECT_EQ(service->gift(8).environment.at("PMIX_RANK"), "5");
  EXPECT_EQ(service->gift(8).environment.at("OMPI_MCA_btl_vader_backing_directory"), folder_ + "/shared");
  EXPECT_TRUE(service->gift(9).environment.empty());
}

TEST_F(PmixServiceTest, NodesOfOneMachineWithMoreRanksThanCpus_GiveWayWhenTheyWait) {
  std::vector<Rank> many(4096);
  std::iota(many.begin(), many.end(), 2);
  start("ready(); hear()", MpiTask{"n", {{"b-node-0", {0, 1}}, {"b-node-1", many}}, 0, {7, 8}});
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(service->gift(7).environment.at("OMPI_MCA_mpi_yield_when_idle"), "1");
  service->stop();
  said.clear();
  start("ready(); hear()", MpiTask{"n", {{"b", {0}}, {"c", many}}, 0, {7}});
  ASSERT_TRUE(wait_for([&] { return !said.empty(); }));
  EXPECT_EQ(service->gift(7).environment.count("OMPI_MCA_mpi_yield_when_idle"), 0u) << "they are on another machine";
}

TEST_F(PmixServiceTest, OpenMpiSettingsOfTheUser_AreKept) {
  own = {"OMPI_MCA_btl_vader_backing_directory=/mine"};
  start("ready(); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(service->gift(7).environment.count("OMPI_MCA_btl_vader_backing_directory"), 0u);
}

TEST_F(PmixServiceTest, Task_IsSentToTheHelper) {
  start("say('failed', repr([task[0], task[1], task[3], task[4][4:16], task[5][4:]]))");
  ASSERT_TRUE(wait_said(1));
  EXPECT_THAT(said[0], HasSubstr("['start', 'muster-x-1', '1', 'libpmix.so.2'"));
}

TEST_F(PmixServiceTest, HelperHasNoLibpmix_TheFailure_SaysWhatToInstall) {
  start("say('failed', 'no libpmix can be loaded (libpmix.so.2: no such file)'); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_THAT(said[0], HasSubstr("MPI on node-b: no libpmix can be loaded (libpmix.so.2: no such file). Install"));
  EXPECT_TRUE(wait_for([&] { return service->stopped(); }));
}

TEST_F(PmixServiceTest, HelperEnds_TheFailure_HasItsOutput) {
  start("ready(); print('a libpmix assertion'); sys.exit(3)");
  ASSERT_TRUE(wait_said(2));
  EXPECT_EQ(said, (Strings{"ready", "MPI on node-b: the PMIx helper exited with code 3: a libpmix assertion "}));
}

TEST_F(PmixServiceTest, ReadyWithoutEachRank_IsAFailure) {
  start("say('ready', '6.0', packed([b'PMIX_RANK=4'])); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_THAT(said[0], HasSubstr("MPI on node-b: the PMIx helper does not know each rank"));
  EXPECT_TRUE(wait_for([&] { return service->stopped(); }));
}

TEST_F(PmixServiceTest, Stop_TheHelperAndItsFolders_AreGone) {
  start("ready(); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/shared"));
  service->stop();
  EXPECT_FALSE(service->stopped());
  EXPECT_TRUE(wait_for([&] { return service->stopped() && changes > 0; }));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/mpi"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/shared"));
  EXPECT_EQ(said, Strings{"ready"}) << "its end is no failure";
}

TEST_F(PmixServiceTest, Fence_TheValuesOfAllNodes_ComeBack) {
  lost = 3;  // all calls but the second one that waits for the other node
  start("say('ask', '3', 'fence', 'pmix/f/1', 'mine', '0,4'); a = hear(); say('failed', repr(a))");
  ASSERT_TRUE(wait_said(1));
  EXPECT_THAT(said[0], HasSubstr("['answer', '3', '', 'theirs', 'mine']"));
  ASSERT_EQ(calls.size(), 4u) << "the first wait found no coordinator";
  EXPECT_EQ(calls[1].kind, RendezvousCall::Kind::set);
  EXPECT_EQ(calls[1].key, "pmix/f/1/4");
  EXPECT_EQ(calls[1].value, "mine");
  EXPECT_EQ(calls[3].kind, RendezvousCall::Kind::wait);
  EXPECT_EQ(calls[3].key, "pmix/f/1/0");
}

TEST_F(PmixServiceTest, RendezvousRefuses_TheReason_ComesBack) {
  answered = {Status(Code::failed_precondition, "attempt 1 has ended"), "", {}};
  start("say('ask', '1', 'wait', 'k', '', ''); a = hear(); say('failed', repr(a))");
  ASSERT_TRUE(wait_said(1));
  EXPECT_THAT(said[0], HasSubstr("attempt 1 has ended"));
}

TEST_F(PmixServiceTest, RendezvousRefusesAValue_TheReason_IsTheFailure) {
  answered = {Status(Code::resource_exhausted, "a value may have at most 1 MiB"), "", {}};
  start("ready(); say('ask', '1', 'set', 'k', 'v', ''); hear()");
  ASSERT_TRUE(wait_said(2));
  EXPECT_EQ(said[1],
            "MPI on node-b: the nodes cannot exchange the addresses of their ranks: a value may have at most 1 MiB");
}

TEST_F(PmixServiceTest, RanksThatJoinAndLeave_HaveNoFault) {
  start("ready(); [say(w, r) for w in ('connected', 'finalized') for r in ('4', '5')]; hear()");
  ASSERT_TRUE(wait_for([&] { return changes > 0; }));
  Report report;
  service->tell(report);
  EXPECT_NE(report.met, TimePoint());
  EXPECT_TRUE(wait_for([&] { return fault(8).empty(); }));
  EXPECT_EQ(fault(8, 3), "");
}

TEST_F(PmixServiceTest, RankAborts_EvenWithCode0_IsItsFault) {
  start("ready(); say('connected', '4'); say('aborted', '4', '0'); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(wait_for([&] { return fault(7) == "called MPI_Abort(0)"; })) << fault(7);
  EXPECT_EQ(fault(8, 1), "its peer rank 4 called MPI_Abort(0)");
}

TEST_F(PmixServiceTest, RankLeavesWithoutFinalize_IsItsFaultIfItExitsWith0) {
  start("ready(); say('connected', '4'); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(wait_for([&] { return fault(7) == "its program ended with exit code 0, but without MPI_Finalize"; }));
  EXPECT_EQ(fault(7, 9), "") << "its exit code says enough";
}

TEST_F(PmixServiceTest, RefusedCall_IsToldAndTheFault) {
  start("ready(); say('refused', '5', 'MPI_Comm_spawn'); hear()");
  ASSERT_TRUE(wait_said(2));
  EXPECT_THAT(said[1], HasSubstr("MPI on node-b: rank 5 called MPI_Comm_spawn, which muster does not support"));
  EXPECT_THAT(fault(8, 50), HasSubstr("called MPI_Comm_spawn"));
}

TEST_F(PmixServiceTest, ScriptThatNeverJoins_IsReportedOnce) {
  start("ready(); hear()");
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(fault(7), "");
  EXPECT_EQ(fault(8), "");
  ASSERT_EQ(said.size(), 2u);
  EXPECT_THAT(said[1], HasSubstr("rank 4 ended without joining the MPI world of 3 ranks"));
}

TEST_F(PmixServiceTest, WorldOfOneRank_NeedsNoMpi) {
  start("say('ready', '6', packed([b'A=b'])); hear()", MpiTask{"n", {{"b", {0}}}, 0, {7}});
  ASSERT_TRUE(wait_said(1));
  EXPECT_EQ(fault(7), "");
  EXPECT_EQ(said, Strings{"ready"});
}

}  // namespace
}  // namespace muster
