// SPDX-License-Identifier: Apache-2.0
#include "core/node/program/program_service.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr const char* kServer =
    "import socket, sys\n"
    "server = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    "print('serves', flush=True)\n"
    "server.accept()\n";

// A port that nothing listens at. The system gives ports from 32768 to programs that ask for any, and muster leases those up to
// 27999, also in other tests that run now. So it is between these, of a block that depends on the process.
uint16_t free_port() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  auto port = static_cast<uint16_t>(28000 + getpid() % 290 * 16);
  for (;; ++port) {
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address.sin_port = htons(port);
    if (bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return port;
  }
}

class ProgramServiceTest : public ProcessHostTest {
 protected:
  void start(std::optional<ServiceProgram> program) {
    DesiredState desired;
    desired.run = true;
    desired.program = std::move(program);
    const auto ranks = [this] {
      SpawnRequest rank = request({"env", "A=1", "python3", "-u", "train.py"});
      rank.stdout_path = output_;
      rank.environment.emplace_back("MUSTER_RANK=0");
      rank.environment.emplace_back("MUSTER_JOB_ID=j");
      return std::vector<SpawnRequest>{rank};
    };
    ServiceEvents events;
    events.next = [this] { nexts++; };
    events.ready = [this] { said.push_back("ready"); };
    events.failed = [this](const std::string& why) { said.push_back(why); };
    events.changed = [this] { said.push_back("changed"); };
    service.start({Bind(), desired, NodePorts(), ranks, rendezvous_}, events);
  }
  // Keeps keys, and calls of `wait` until their key is set.
  void ask(const RendezvousCall& call, const std::function<void(const RendezvousAnswer&)>& answer) {
    if (call.kind == RendezvousCall::Kind::wait) {
      waits_.emplace(call.key, answer);
    } else {
      set_[call.key] = call.value;
      answer({});
    }
  }
  ServiceProgram shell_program(const std::string& script) { return {"the server", "", {"sh", "-c", script}, {}}; }

  const ServiceRendezvous rendezvous_ = [this](const auto& call, const auto& answer) { ask(call, answer); };
  std::map<std::string, std::string> set_;
  std::multimap<std::string, std::function<void(const RendezvousAnswer&)>> waits_;
  std::string output_ = folder_ + "/worker-0.out";
  ProgramService service{loop_, host_, "node-a"};
  std::vector<std::string> said;
  int nexts = 0;
};

TEST_F(ProgramServiceTest, AJobWithoutOne_StartsAtOnce) {
  start(std::nullopt);
  EXPECT_THAT(said, ElementsAre("ready"));
  EXPECT_TRUE(service.stopped());
}

TEST_F(ProgramServiceTest, APythonProgram_IsReadyWhenItListens_AndIsKilled) {
  const uint16_t port = free_port();
  start(ServiceProgram{"the tracker", kServer, {std::to_string(port)}, {"127.0.0.1", port}});
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(nexts, 1);
  EXPECT_TRUE(wait_for([&] { return !said.empty(); }));
  EXPECT_THAT(said, ElementsAre("ready"));
  EXPECT_THAT(set_, ElementsAre(Pair("muster/service", "1")));
  EXPECT_TRUE(wait_for_output("serves", "worker-0.service.out"));
  EXPECT_FALSE(service.stopped());
  service.stop();
  EXPECT_FALSE(service.stopped());
  EXPECT_TRUE(wait_for([&] { return service.stopped(); }));
  EXPECT_THAT(said, ElementsAre("ready", "changed"));
}

TEST_F(ProgramServiceTest, AProgramOfAnotherNode_IsAwaited) {
  start(ServiceProgram{"the server", "", {}, {"10.0.0.1", 20001}, true});
  EXPECT_THAT(said, IsEmpty());
  EXPECT_TRUE(service.stopped());
  EXPECT_EQ(nexts, 1);
  ASSERT_EQ(waits_.count("muster/service"), 1u);
  waits_.find("muster/service")->second({Status(), "1", {}});
  EXPECT_THAT(said, ElementsAre("ready"));
}

TEST_F(ProgramServiceTest, AProgramOfAnotherNode_TheEndOfTheAttemptIsNoFailure) {
  start(ServiceProgram{"the server", "", {}, {"10.0.0.1", 20001}, true});
  waits_.find("muster/service")->second({Status(Code::failed_precondition, "attempt 1 has ended"), "", {}});
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(ProgramServiceTest, AProgramOfAnotherNode_IsNotAwaitedAfterStop) {
  start(ServiceProgram{"the server", "", {}, {"10.0.0.1", 20001}, true});
  service.stop();
  waits_.find("muster/service")->second({Status(), "1", {}});
  EXPECT_THAT(said, IsEmpty());
}

TEST_F(ProgramServiceTest, Process_UsesTheInterpreterOfTheRanks_AndIsNoRank) {
  SpawnRequest rank = request({"env", "A=1", "/opt/bin/python3.11", "-u", "train.py", "--lr=1"});
  rank.environment = {"PATH=/bin", "MUSTER_SOCKET=/x", "MUSTER_INDEX=0", "MUSTER_RANK=0", "MUSTER_LOCAL_RANK=0", "B=2"};
  rank.cpus = {1};
  const SpawnRequest found = program_request({"x", "pass", {"1", "2"}, {}}, rank);
  EXPECT_THAT(found.argv, ElementsAre("/opt/bin/python3.11", "-u", "-c", "pass", "1", "2"));
  EXPECT_THAT(found.environment, ElementsAre("PATH=/bin", "B=2", "MUSTER_SERVICE=1"));
  EXPECT_TRUE(found.cpus.empty());
  rank.argv = {"./train"};
  EXPECT_THAT(program_request({"x", "pass", {}, {}}, rank).argv, ElementsAre("python3", "-c", "pass"));
}

TEST_F(ProgramServiceTest, Process_OfAScript_UsesTheInterpreterOfItsFirstLine) {
  SpawnRequest rank = request({"./train"});
  rank.workdir = folder_;
  std::ofstream(folder_ + "/train") << "#!/opt/venv/bin/python\n";
  std::filesystem::permissions(folder_ + "/train", std::filesystem::perms::owner_all);
  EXPECT_THAT(program_request({"x", "pass", {}, {}}, rank).argv, ElementsAre("/opt/venv/bin/python", "-c", "pass"));
}

TEST_F(ProgramServiceTest, Process_RunsInTheContainerOfTheRanks) {
  SpawnRequest rank = request({"./train"});
  rank.container = std::make_shared<const ContainerEntry>();
  EXPECT_EQ(program_request(shell_program("exit 0"), rank).container, rank.container);
}

TEST_F(ProgramServiceTest, ACommandThatExitsBeforeItListens_FailsWithItsLastLine) {
  ServiceProgram program = shell_program("echo first >&2; echo no disk >&2; exit 3");
  program.here = {"127.0.0.1", free_port()};
  start(program);
  EXPECT_TRUE(wait_for([&] { return !said.empty(); }));
  EXPECT_THAT(said, ElementsAre("the service on node-a: the server exited with code 3 before it listened: no disk"));
  EXPECT_TRUE(service.stopped());
}

TEST_F(ProgramServiceTest, ACommandThatFailsLater_EndsTheRanks) {
  start(shell_program("read line; exit 4"));
  EXPECT_TRUE(wait_for([&] { return said.size() == 2; }));
  EXPECT_THAT(said, ElementsAre("ready", "the service on node-a: the server exited with code 4"));
}

TEST_F(ProgramServiceTest, ACommandThatHasDoneItsWork_EndsNothing) {
  start(shell_program("exit 0"));
  EXPECT_TRUE(wait_for([&] { return service.stopped(); }));
  EXPECT_THAT(said, ElementsAre("ready"));
}

TEST_F(ProgramServiceTest, WithoutAFolderForOutput_NothingIsStarted) {
  output_ = "";
  start(shell_program("exit 0"));
  EXPECT_THAT(said, ElementsAre("the service on node-a: the server: the folder of the ranks' output cannot be used"));
  EXPECT_TRUE(service.stopped());
}

TEST_F(ProgramServiceTest, AnUnknownCommand_Fails) {
  start(ServiceProgram{"the server", "", {"./no-such-program"}, {}});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("the service on node-a: the server: "));
  EXPECT_THAT(said[0], HasSubstr("no-such-program"));
}

TEST_F(ProgramServiceTest, Stop_ACommandThatEndsAtSigterm_HasTimeForIt) {
  start(shell_program("trap 'echo bye; exit 0' TERM; echo up; while :; do read -r line <> /proc/self/fd/1; done"));
  EXPECT_TRUE(wait_for_output("up", "worker-0.service.out"));
  service.stop();
  service.stop();
  EXPECT_TRUE(wait_for([&] { return service.stopped(); }));
}

TEST_F(ProgramServiceTest, Stop_ACommandThatIgnoresSigterm_IsKilled) {
  start(shell_program("trap '' TERM; echo up; exec sleep 1000"));
  EXPECT_TRUE(wait_for_output("up", "worker-0.service.out"));
  service.stop();
  EXPECT_TRUE(wait_for([&] { return service.stopped(); }));
}

}  // namespace
}  // namespace muster
