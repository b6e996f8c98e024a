// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <deque>
#include <optional>

#include "core/base/unix_socket.h"
#include "core/wire/grpc_fixture.h"

namespace muster {
namespace {

Hello hello_of(Incarnation incarnation) {
  Hello hello;
  hello.incarnation = incarnation;
  hello.host = "node-a";
  return hello;
}

// One end of a link, and the messages that it received.
template <typename Out, typename In>
struct End {
  explicit End(std::unique_ptr<Channel<Out, In>> taken) : channel(std::move(taken)) {
    channel->listen([this](const In& message) { heard.push_back(message); },
                    [this](const Status& status) { closed.push_back(status); });
  }
  std::unique_ptr<Channel<Out, In>> channel;
  std::deque<In> heard;
  std::vector<Status> closed;
};
using AgentEnd = End<AgentMessage, CoordinatorMessage>;
using CoordinatorEnd = End<CoordinatorMessage, AgentMessage>;

class Link : public GrpcFixture {
 protected:
  Link() : dialer_(loop_, path_) {}

  // Dials, sends Hello, and waits until the handlers of both ends are set.
  void connect(Hello hello = hello_of(1)) {
    auto dialled = dial(dialer_);
    ASSERT_TRUE(dialled.ok()) << dialled.status().message();
    agent_.emplace(std::move(*dialled));
    agent_->channel->send(hello);
    arrived_.clear();
    ASSERT_TRUE(loop_.run_until([&] { return !arrived_.empty() || !agent_->closed.empty(); }));
    if (!arrived_.empty()) coordinator_.emplace(std::move(arrived_.front().channel));
  }

  GrpcAgentDialer dialer_;
  std::optional<AgentEnd> agent_;
  std::optional<CoordinatorEnd> coordinator_;
};

TEST_F(Link, HelloBindWishReportRendezvous_ComeInOrder) {
  serve();
  connect(hello_of(77));
  EXPECT_EQ(arrived_.front().hello, hello_of(77));

  Bind bind;
  bind.environment = {{"TOKEN", "\xff secret"}};
  DesiredState desired;
  desired.attempt = 1;
  desired.run = true;
  desired.tasks.push_back({0, {"python", "train.py"}, {}, {1, 2}, {"GPU-1"}, 0, "/o", "/e", false});
  const RendezvousReply reply{9, {}};
  const std::vector<CoordinatorMessage> down = {bind, desired, reply, TtyInput{0, "x", 0, 0}, Dismiss{}};
  const std::vector<AgentMessage> up = {Report{1, 1, false, 2000, {}}, RendezvousRequest{9, 1, 0, {}}};
  for (const auto& message : down) coordinator_->channel->send(message);
  for (const auto& message : up) agent_->channel->send(message);
  ASSERT_TRUE(loop_.run_until([&] { return agent_->heard.size() == 5 && coordinator_->heard.size() == 2; }));
  EXPECT_TRUE(std::equal(down.begin(), down.end(), agent_->heard.begin()));
  EXPECT_TRUE(std::equal(up.begin(), up.end(), coordinator_->heard.begin()));
}

TEST_F(Link, Socket_IsForItsOwnerOnlyAndGoesWithTheServer) {
  serve();
  struct stat info {};
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  server_.reset();
  EXPECT_NE(stat(path_.c_str(), &info), 0);
}

TEST_F(Link, Socket_IsReplacedByAnotherServer_LinksStayAndTheOtherSocketToo) {
  serve();
  connect();
  const auto first = std::move(server_);
  EXPECT_TRUE(first->is_here() && first->has_links());
  serve();
  EXPECT_FALSE(first->is_here());
  EXPECT_TRUE(server_->is_here());
  EXPECT_FALSE(server_->has_links());
  agent_->channel->send(Report());
  EXPECT_TRUE(loop_.run_until([&] { return !coordinator_->heard.empty() || !coordinator_->closed.empty(); }));
  EXPECT_TRUE(coordinator_->closed.empty());
}

TEST_F(Link, Socket_EarlierServerEnds_StaysForTheNext) {
  serve();
  auto first = std::move(server_);
  serve();
  first.reset();
  EXPECT_TRUE(server_->is_here());
  EXPECT_TRUE(dial(dialer_).ok());
}

TEST_F(Link, AwkwardPath_Works) {
  path_ = folder_ + "/a b%41?#\xc3\xa9";
  serve();
  GrpcAgentDialer dialer(loop_, path_);
  EXPECT_TRUE(dial(dialer).ok());
}

TEST_F(Link, ListenFails_SaysWhy) {
  const auto refuse = [&](const std::string& path) {
    return GrpcServer::listen(loop_, path, service_, [](ArrivedAgent) {}).status();
  };
  EXPECT_EQ(refuse(folder_ + "/" + std::string(120, 'x')).code(), Code::invalid_argument);
  const Status absent = refuse(folder_ + "/no/such/folder");
  EXPECT_EQ(absent.code(), Code::not_found) << absent.message();
}

TEST_F(Link, NobodyThere_DialIsUnavailableAtOnce) {
  EXPECT_TRUE(is_at_once([&] {
    const auto dialled = dial(dialer_);
    EXPECT_EQ(dialled.status().code(), Code::unavailable);
    EXPECT_NE(dialled.status().message().find(path_), std::string::npos) << dialled.status().message();
  }));
}

TEST_F(Link, PeerThatIsNoMuster_DialIsUnavailable) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind_unix(fd, path_), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  auto hang_up = std::async(std::launch::async, [fd] {
    close(accept(fd, nullptr, nullptr));
    close(fd);
  });
  EXPECT_EQ(dial(dialer_).status().code(), Code::unavailable);
}

TEST_F(Link, WrongProtocol_IsRefusedWithASentence) {
  serve();
  Hello hello = hello_of(1);
  hello.protocol = 7;
  connect(hello);
  ASSERT_EQ(agent_->closed.size(), 1u);
  EXPECT_EQ(agent_->closed[0].code(), Code::failed_precondition);
  const std::string& sentence = agent_->closed[0].message();
  EXPECT_NE(sentence.find("node-a speaks protocol 7"), std::string::npos) << sentence;
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(Link, FirstMessageNoHello_IsRefused) {
  serve();
  auto dialled = dial(dialer_);
  ASSERT_TRUE(dialled.ok());
  AgentEnd agent(std::move(*dialled));
  agent.channel->send(Report());
  ASSERT_TRUE(loop_.run_until([&] { return !agent.closed.empty(); }));
  EXPECT_EQ(agent.closed[0].code(), Code::invalid_argument);
}

TEST_F(Link, AgentLeavesAndDialsAgain) {
  serve();
  for (Incarnation life = 1; life <= 3; ++life) {
    connect(hello_of(life));
    EXPECT_EQ(arrived_.front().hello.incarnation, life);
    agent_.reset();
    ASSERT_TRUE(loop_.run_until([&] { return !coordinator_->closed.empty(); }));
    EXPECT_EQ(coordinator_->closed[0].code(), Code::unavailable);
    coordinator_->channel->send(Dismiss());  // dropped
  }
}

TEST_F(Link, CoordinatorLetsGo_AgentStillGetsWhatWasSent) {
  serve();
  connect();
  DesiredState large;
  large.snapshot = std::string(10 << 20, 's');  // above gRPC's usual limit
  coordinator_->channel->send(large);
  coordinator_->channel->send(Dismiss());
  coordinator_.reset();
  ASSERT_TRUE(loop_.run_until([&] { return !agent_->closed.empty(); }));
  EXPECT_EQ(agent_->closed[0].code(), Code::unavailable);
  ASSERT_EQ(agent_->heard.size(), 2u);
  EXPECT_TRUE(std::holds_alternative<Dismiss>(agent_->heard[1]));
  ASSERT_TRUE(loop_.run_until([&] { return loop_.armed() == 0; }));
}

TEST_F(Link, ServerGone_BothEndsCloseOnceAndRedialWorksWithTheNext) {
  serve();
  connect();
  server_.reset();
  ASSERT_TRUE(loop_.run_until([&] { return !agent_->closed.empty() && !coordinator_->closed.empty(); }));
  EXPECT_EQ(agent_->closed[0].code(), Code::unavailable);
  EXPECT_EQ(coordinator_->closed[0].code(), Code::unavailable);
  EXPECT_EQ(dial(dialer_).status().code(), Code::unavailable);
  coordinator_->channel->send(Dismiss());
  coordinator_.reset();
  serve();
  connect(hello_of(2));
  EXPECT_EQ(arrived_.front().hello.incarnation, 2u);
  EXPECT_EQ(agent_->closed.size(), 0u);
}

TEST_F(Link, ChannelDestroyedInItsOwnHandler_IsSilent) {
  serve();
  auto dialled = dial(dialer_);
  auto channel = std::move(*dialled);
  int heard = 0;
  const auto leave = [&](const CoordinatorMessage&) {
    ++heard;
    channel.reset();
  };
  channel->listen(leave, [&](const Status&) { ADD_FAILURE(); });
  channel->send(hello_of(1));
  ASSERT_TRUE(loop_.run_until([&] { return !arrived_.empty(); }));
  coordinator_.emplace(std::move(arrived_.front().channel));
  for (int i = 0; i < 3; ++i) coordinator_->channel->send(Dismiss());
  ASSERT_TRUE(loop_.run_until([&] { return !coordinator_->closed.empty(); }));
  EXPECT_EQ(heard, 1);
}

TEST_F(Link, AgentThatTakesNothing_IsGivenUpAt128MiB) {
  serve();
  connect();
  TestLoop frozen;  // never turns: the agent's reads stop
  GrpcAgentDialer dialer(frozen, path_);
  std::unique_ptr<ChannelToCoordinator> channel;
  dialer.dial([&](Dialled result) { channel = std::move(*result); });
  // Both loops on this thread: turn the frozen one only until it is connected.
  ASSERT_TRUE(loop_.run_until([&] { return frozen.turn(), channel != nullptr; }));
  channel->send(hello_of(2));
  arrived_.clear();
  ASSERT_TRUE(loop_.run_until([&] { return !arrived_.empty(); }));
  CoordinatorEnd coordinator(std::move(arrived_.front().channel));
  DesiredState desired;
  desired.snapshot = std::string(8 << 20, 's');
  for (int i = 0; i < 24; ++i) coordinator.channel->send(desired);
  ASSERT_TRUE(loop_.run_until([&] { return !coordinator.closed.empty(); }));
  EXPECT_EQ(coordinator.closed[0].code(), Code::resource_exhausted);
}

TEST_F(Link, Destruction_AtAnyMoment_LeavesNothing) {
  Random random(1);
  for (int round = 0; round < 150; ++round) {
    serve();
    const auto turns = [&](uint64_t most) {
      for (uint64_t left = random.below(most); left > 0; --left) loop_.turn();
    };
    auto dialer = std::make_unique<GrpcAgentDialer>(loop_, path_);
    std::vector<std::unique_ptr<ChannelToCoordinator>> channels;
    for (int agents = 0; agents < 3; ++agents) {
      dialer->dial([&](Dialled result) {
        if (!result.ok()) return;
        (*result)->send(hello_of(1));
        (*result)->send(Report());
        channels.push_back(std::move(*result));
      });
      turns(8);
      if (random.below(2) == 0)
        dialer = std::make_unique<GrpcAgentDialer>(loop_, path_);
      else
        loop_.run_until([&, before = channels.size()] { return channels.size() > before || !random.below(4); });
      if (channels.size() <= static_cast<size_t>(agents)) dialer = std::make_unique<GrpcAgentDialer>(loop_, path_);
    }
    for (auto& agent : arrived_) agent.channel->send(Dismiss());
    turns(8);
    if (random.below(2) == 0) server_.reset();
    if (random.below(2) == 0) channels.clear();
    turns(8);
    if (random.below(2) == 0) arrived_.clear();
    dialer.reset();
    channels.clear();
    server_.reset();
    arrived_.clear();
  }
  loop_.run_until([&] { return loop_.armed() == 0; });
  EXPECT_EQ(loop_.armed(), 0u);
}

}  // namespace
}  // namespace muster
