// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/exec_host_links.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <deque>

#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"
#include "core/wire/worker/worker_socket.h"

namespace muster {
namespace {

// A program that was requested, and its state on this node.
struct Asked {
  ExecStart start;
  std::unique_ptr<ExecChannel> viewer;
  std::string typed;
  bool gone = false;
};

// The calls that the owner of a link received.
struct Told {
  int arrived = 0;
  std::vector<HostLinkEnd> ends;
  std::vector<HostTrouble> troubles;
  std::vector<std::optional<int64_t>> stopped;
};

class ExecHostLinksTest : public testing::Test {
 protected:
  ExecHostLinksTest() {
    socket_.listen([](const WorkerCall&, const WorkerListener::Answer&) {}, [](const std::string&) {});
    socket_.serve_execs([this](const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
      Asked& asked = asked_.emplace_back();
      asked.start = start;
      asked.viewer = std::move(viewer);
      asked.viewer->listen(
          [&asked](const ExecFrame& frame) {
            if (const auto* bytes = std::get_if<ExecBytes>(&frame.part)) asked.typed += bytes->bytes;
          },
          [&asked](const Status&) { asked.gone = true; });
    });
  }

  std::unique_ptr<HostLink> open(const std::string& host, Told& told) {
    return links_.open({host, {}, {"relay", "--listen"}, "peer-of-" + host},
                       {[&told] { ++told.arrived; }, [&told](const HostLinkEnd& end) { told.ends.push_back(end); },
                        [&told](const HostTrouble& trouble) { told.troubles.push_back(trouble); },
                        [&told](std::optional<int64_t> pid) { told.stopped.push_back(pid); }});
  }
  // Opens a link, and waits until the agent has its program.
  std::unique_ptr<HostLink> begin(Told& told) {
    auto link = open("a2", told);
    EXPECT_TRUE(run_until(loop_, [&] { return !asked_.empty(); }));
    return link;
  }
  void end(ExecEnd end) { asked_[0].viewer->send({0, std::move(end)}); }
  void say(ExecStream stream, const std::string& text) { asked_[0].viewer->send({0, ExecBytes{stream, text, false}}); }
  static ExecEnd exited(int code) { return {ExitStatus{ExitStatus::Kind::exited, code}, 0, ""}; }

  AsioLoop loop_;
  std::string path_ = testing::TempDir() + "exec-links." + std::to_string(getpid());
  WorkerSocket socket_{loop_, path_};
  std::deque<Asked> asked_;
  UniqueFd stream_;
  std::string peer_;
  ExecHostLinks links_{loop_,
                       *RankClient::of({{"MUSTER_SOCKET", path_}, {"MUSTER_ATTEMPT", "2"}, {"MUSTER_INDEX", "0"}}),
                       {{"a1", "", "", 1, 0, "worker", 2}, {"a2", "", "", 2, 5, "worker", 3}},
                       [this](UniqueFd stream, const std::string& peer) { stream_ = std::move(stream), peer_ = peer; }};
  Told told_;
};

TEST_F(ExecHostLinksTest, Open_OfANode_StartsMustersProgramBesideItsRank) {
  const auto link = begin(told_);
  const ExecStart& start = asked_[0].start;
  EXPECT_EQ(start.index, 5u);
  EXPECT_EQ(start.attempt, 3u) << "of the rank there";
  EXPECT_EQ(start.viewer_attempt, 2u) << "of this rank";
  EXPECT_EQ(start.argv, (std::vector<std::string>{"relay", "--listen", "--inside"}));
  EXPECT_TRUE(start.own_program);
  EXPECT_TRUE(start.whole_node);
  EXPECT_EQ(peer_, "peer-of-a2");
  EXPECT_EQ(links_.running(), 1u);
}

TEST_F(ExecHostLinksTest, Stream_CarriesBytesBothWays) {
  const auto link = begin(told_);
  ASSERT_EQ(write(stream_.get(), "hello", 5), 5);
  EXPECT_TRUE(run_until(loop_, [&] { return asked_[0].typed == "hello"; }));
  say(ExecStream::out, "answer");
  std::string got;
  std::array<char, 16> bytes;
  const auto answered = [&] {
    const ssize_t size = read(stream_.get(), bytes.data(), bytes.size());
    got.append(bytes.data(), size > 0 ? static_cast<size_t>(size) : 0);
    return got.size() >= 6;
  };
  EXPECT_TRUE(run_until(loop_, answered));
  EXPECT_EQ(got, "answer");
}

TEST_F(ExecHostLinksTest, Open_OfAHostThatIsNoNode_Fails) {
  const auto link = open("elsewhere", told_);
  EXPECT_TRUE(told_.troubles.empty()) << "in a later turn";
  ASSERT_TRUE(run_until(loop_, [&] { return !told_.troubles.empty(); }));
  EXPECT_EQ(told_.troubles[0].sentence, "it is not a node of the job");
  EXPECT_FALSE(told_.troubles[0].passes);
  EXPECT_EQ(links_.running(), 0u);
}

TEST_F(ExecHostLinksTest, Refusal_IsAFailureThatPassesOnlyIfTheAgentIsNotConnected) {
  for (const Code code : {Code::unavailable, Code::failed_precondition}) {
    asked_.clear();
    Told told;
    const auto link = begin(told);
    refuse_exec(*asked_[0].viewer, Status(code, "not now"));
    ASSERT_TRUE(run_until(loop_, [&] { return !told.troubles.empty(); }));
    EXPECT_EQ(told.troubles[0].sentence, "not now");
    EXPECT_EQ(told.troubles[0].passes, code == Code::unavailable);
    EXPECT_EQ(told.arrived, 0);
    EXPECT_TRUE(told.ends.empty());
    EXPECT_EQ(links_.running(), 0u);
  }
}

TEST_F(ExecHostLinksTest, ExitOfTheProgram_HasItsCodeAndLastLine) {
  const auto link = begin(told_);
  say(ExecStream::err, "first\nits agent exited with code 3\n");
  end(exited(kRelayAgentDied));
  ASSERT_TRUE(run_until(loop_, [&] { return !told_.ends.empty(); }));
  EXPECT_EQ(told_.arrived, 1);
  EXPECT_EQ(told_.ends[0].code, kRelayAgentDied);
  EXPECT_EQ(told_.ends[0].said, "its agent exited with code 3");
  EXPECT_EQ(links_.running(), 0u);
}

TEST_F(ExecHostLinksTest, AStoppedAgent_IsToldAndIsNoReasonOfAnEnd) {
  const auto link = begin(told_);
  say(ExecStream::err, std::string(kRelaySaysStopped) + "4");
  say(ExecStream::err, "1\n");
  say(ExecStream::err, std::string(kRelaySaysStopped) + "0\n");
  end(exited(kRelayAgentLeft));
  ASSERT_TRUE(run_until(loop_, [&] { return !told_.ends.empty(); }));
  EXPECT_EQ(told_.stopped, (std::vector<std::optional<int64_t>>{41, std::nullopt}));
  EXPECT_EQ(told_.ends[0].said, "");
}

// The agent waits for the next relay, unless the attempt of the rank beside it has ended.
TEST_F(ExecHostLinksTest, LostLinkOrKilledProgram_LeavesItsAgent) {
  const ExitStatus killed{ExitStatus::Kind::signalled, 0, 9};
  const ExecEnd lost = refused_exec(Status(Code::unavailable, "the link was lost"));
  for (const auto& [how, code] : {std::pair(lost, kRelayHungUp), std::pair(ExecEnd{killed, 0, ""}, kRelayHungUp),
                                  std::pair(ExecEnd{killed, 0, "the rank's attempt has ended"}, kRelayAgentDied)}) {
    asked_.clear();
    Told told;
    const auto link = begin(told);
    ASSERT_TRUE(run_until(loop_, [&] { return told.arrived == 1; })) << "it runs";
    end(how);
    ASSERT_TRUE(run_until(loop_, [&] { return !told.ends.empty(); }));
    EXPECT_EQ(told.ends[0].code, code);
    EXPECT_EQ(told.ends[0].said, how.why);
    EXPECT_TRUE(told.troubles.empty());
  }
}

TEST_F(ExecHostLinksTest, ALinkThatWasDestroyed_LeavesItsProgram) {
  auto link = begin(told_);
  link.reset();
  EXPECT_TRUE(run_until(loop_, [&] { return asked_[0].gone; }));
  EXPECT_EQ(links_.running(), 0u);
  EXPECT_TRUE(told_.ends.empty() && told_.troubles.empty());
}

TEST_F(ExecHostLinksTest, NodesOfTheJob_HaveNoOtherHoldersAndTheCode) {
  std::optional<Result<std::vector<Holder>>> holders;
  const auto looked = links_.look({"a2"}, [&](const auto& seen) { holders = seen; });
  bool delivered = false;
  const auto sent = links_.deliver({"a2"}, JobId(), JobCode(), [&](const auto& trouble) { delivered = !trouble; });
  ASSERT_TRUE(run_until(loop_, [&] { return holders && delivered; }));
  EXPECT_TRUE(holders->ok() && (*holders)->empty());
}

}  // namespace
}  // namespace muster
