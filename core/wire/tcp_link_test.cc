// SPDX-License-Identifier: Apache-2.0
// The link between hosts: which agents are accepted, and what is known about them.
#include "core/system/tls/token_identity.h"
#include "core/wire/grpc_fixture.h"
#include "core/wire/settings.h"

namespace muster {
namespace {

TlsIdentity knows(const std::string& token) { return *identity_from_token(token, "test"); }

class TcpLink : public GrpcFixture {
 protected:
  // The Hello of a host with this identity, or why it was not accepted.
  Status hello_from(std::optional<TlsIdentity> identity, const std::string& address = "127.0.0.1") {
    GrpcAgentDialer dialer(loop_, TcpTarget{{address, server_->port()}, std::move(identity)});
    auto dialled = dial(dialer);
    if (!dialled.ok()) return dialled.status();
    channel_ = std::move(*dialled);
    Hello hello;
    hello.host = "node-b";
    channel_->send(hello);
    EXPECT_TRUE(loop_.run_until([&] { return !arrived_.empty(); }));
    return {};
  }

  std::unique_ptr<ChannelToCoordinator> channel_;
};

TEST_F(TcpLink, AnOpenPortTakesWhoeverComesAndKnowsFromWhere) {
  serve_tcp({{"127.0.0.1", 0}, std::nullopt});
  ASSERT_NE(server_->port(), 0);
  ASSERT_TRUE(hello_from(std::nullopt).ok());
  EXPECT_EQ(arrived_.front().hello.host, "node-b");
  EXPECT_EQ(arrived_.front().peer, "127.0.0.1");
}

TEST_F(TcpLink, IPv6Too) {
  serve_tcp({{"::1", 0}, std::nullopt});
  ASSERT_TRUE(hello_from(std::nullopt, "::1").ok());
  EXPECT_EQ(arrived_.front().peer, "::1");
}

TEST_F(TcpLink, WhoKnowsTheTokenComesInAndNobodyElse) {
  serve_tcp({{"127.0.0.1", 0}, knows("0123456789abcdef")});
  EXPECT_EQ(hello_from(std::nullopt).code(), Code::unavailable);
  EXPECT_EQ(hello_from(knows("another token of 16")).code(), Code::unavailable);
  EXPECT_TRUE(arrived_.empty());
  EXPECT_TRUE(hello_from(knows("0123456789abcdef")).ok());
}

TEST_F(TcpLink, AHostWithATokenTalksToNobodyWithoutIt) {
  serve_tcp({{"127.0.0.1", 0}, std::nullopt});
  EXPECT_EQ(hello_from(knows("0123456789abcdef")).code(), Code::unavailable);
  EXPECT_TRUE(arrived_.empty());
}

TEST_F(TcpLink, APortThatIsTakenIsAnErrorAndNoSecondListener) {
  serve_tcp({{"127.0.0.1", 0}, std::nullopt});
  const auto second =
      GrpcServer::listen_tcp(loop_, {{"127.0.0.1", server_->port()}, std::nullopt}, [](ArrivedAgent) {});
  EXPECT_EQ(second.status().code(), Code::unavailable);
  EXPECT_EQ(second.status().message(), "cannot listen at 127.0.0.1:" + std::to_string(server_->port()));
}

TEST_F(TcpLink, AgentsShareAConnectionAndEachHasItsOwnLink) {
  serve_tcp({{"127.0.0.1", 0}, std::nullopt});
  SharedConnections connections(loop_, {"127.0.0.1", server_->port(), std::nullopt}, 1);
  std::vector<std::unique_ptr<ChannelToCoordinator>> agents;
  for (Incarnation each = 0; each < 3; ++each) {
    auto dialled = dial(*connections.dialer());
    ASSERT_TRUE(dialled.ok()) << dialled.status().message();
    agents.push_back(std::move(*dialled));
    Hello hello;
    hello.incarnation = each;
    agents.back()->send(hello);
    ASSERT_TRUE(loop_.run_until([&] { return arrived_.size() == each + 1; }));
    EXPECT_EQ(arrived_.back().hello.incarnation, each);
  }
  int lost = 0;
  std::vector<AgentMessage> heard;
  arrived_[0].channel->listen([](const AgentMessage&) {}, [&](const Status&) { ++lost; });
  arrived_[1].channel->listen([&](const AgentMessage& message) { heard.push_back(message); },
                              [](const Status&) { ADD_FAILURE(); });
  agents[0].reset();
  ASSERT_TRUE(loop_.run_until([&] { return lost == 1; }));
  agents[1]->send(Report());
  EXPECT_TRUE(loop_.run_until([&] { return heard.size() == 1; }));
}

// A TLS frame has 1 KiB (settings.cc), so these messages take several thousand frames.
TEST_F(TcpLink, LargeMessagesOverTls_ArriveCompleteBothWays) {
  constexpr size_t kLarge = 3 << 20;
  serve_tcp({{"127.0.0.1", 0}, knows("0123456789abcdef")});
  ASSERT_TRUE(hello_from(knows("0123456789abcdef")).ok());
  std::string from_agent;
  std::string from_coordinator;
  arrived_.front().channel->listen(
      [&](const AgentMessage& message) { from_agent = std::get<RendezvousRequest>(message).call.key; },
      [](const Status& status) { ADD_FAILURE() << status.message(); });
  channel_->listen(
      [&](const CoordinatorMessage& message) {
        from_coordinator = std::get<RendezvousReply>(message).answer.status.message();
      },
      [](const Status& status) { ADD_FAILURE() << status.message(); });
  RendezvousRequest request;
  RendezvousReply reply;
  for (size_t i = 0; request.call.key.size() < kLarge; ++i) request.call.key += std::to_string(i);
  reply.answer.status = Status(Code::internal, request.call.key);
  channel_->send(request);
  arrived_.front().channel->send(reply);
  ASSERT_TRUE(loop_.run_until([&] { return !from_agent.empty() && !from_coordinator.empty(); }));
  EXPECT_TRUE(from_agent == request.call.key);
  EXPECT_TRUE(from_coordinator == request.call.key);
}

TEST(PeerAddress, IsReadFromWhatGrpcCallsAPeer) {
  EXPECT_EQ(peer_address("ipv4:10.0.0.2:4711"), "10.0.0.2");
  EXPECT_EQ(peer_address("ipv6:[::1]:4711"), "::1");
  EXPECT_EQ(peer_address("ipv6:%5Bfe80::1%25eth0%5D:4711"), "fe80::1%eth0");
  EXPECT_EQ(peer_address("ipv6:%5B::ffff:10.0.0.2%5D:4711"), "10.0.0.2");
  EXPECT_EQ(peer_address("unix:/run/x"), "");
  EXPECT_EQ(peer_address(""), "");
}

}  // namespace
}  // namespace muster
