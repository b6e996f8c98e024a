// SPDX-License-Identifier: Apache-2.0
// Agents on a connection that was passed to the server. A pump is in between, like `muster relay` and ssh.
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <future>

#include "core/base/unix_socket.h"
#include "core/wire/grpc_fixture.h"

namespace muster {
namespace {

// Accepts one connection at a path and copies bytes between it and a socket of its own, until told to close it.
class Pump {
 public:
  Pump(const std::string& path, UniqueFd far) : far_(std::move(far)) {
    door_ = UniqueFd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    bind_unix(door_.get(), path);
    listen(door_.get(), 1);
    stop_ = UniqueFd(socket_pair());
    running_ = std::async(std::launch::async, [this] { carry(); });
  }
  ~Pump() { hang_up(); }
  void hang_up() {
    if (!running_.valid()) return;
    shutdown(stop_.get(), SHUT_RDWR);
    running_.get();
    far_.reset();
  }

 private:
  int socket_pair() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    stopped_ = UniqueFd(ends[1]);
    return ends[0];
  }
  static bool pass(int from, int to) {
    std::array<char, 4096> buffer{};
    const ssize_t length = recv(from, buffer.data(), buffer.size(), 0);
    return length > 0 && send(to, buffer.data(), static_cast<size_t>(length), MSG_NOSIGNAL) == length;
  }
  void carry() {
    std::array<pollfd, 3> watched{{{stopped_.get(), POLLIN, 0}, {door_.get(), POLLIN, 0}, {-1, POLLIN, 0}}};
    UniqueFd near;
    while (poll(watched.data(), watched.size(), -1) > 0 && watched[0].revents == 0) {
      if (!near.valid()) {
        near = UniqueFd(accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        watched[1].fd = near.get();
        watched[2].fd = far_.get();
        continue;
      }
      if (watched[1].revents != 0 && !pass(near.get(), far_.get())) return;
      if (watched[2].revents != 0 && !pass(far_.get(), near.get())) return;
    }
  }

  UniqueFd far_;
  UniqueFd door_;
  UniqueFd stop_;
  UniqueFd stopped_;
  std::future<void> running_;
};

class AdoptedLink : public GrpcFixture {
 protected:
  void SetUp() override {
    server_ = GrpcServer::on_adopted(loop_, [this](ArrivedAgent agent) { arrived_.push_back(std::move(agent)); });
  }
  // The path that a host dials. The server's name for it is `peer`.
  std::string host(const std::string& peer) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    const std::string path = folder_ + "/" + peer;
    pumps_.push_back(std::make_unique<Pump>(path, UniqueFd(ends[1])));
    server_->adopt(UniqueFd(ends[0]), peer);
    return path;
  }
  std::unique_ptr<ChannelToCoordinator> hello_through(const std::string& path) {
    GrpcAgentDialer dialer(loop_, path);
    auto dialled = dial(dialer);
    EXPECT_TRUE(dialled.ok()) << dialled.status().message();
    if (!dialled.ok()) return nullptr;
    Hello hello;
    const size_t before = arrived_.size();
    (*dialled)->send(hello);
    EXPECT_TRUE(loop_.run_until([&] { return arrived_.size() > before; }));
    return std::move(*dialled);
  }
  std::vector<std::unique_ptr<Pump>> pumps_;
};

TEST_F(AdoptedLink, WhoComesOverItIsKnownByIt) {
  const auto first = hello_through(host("a1"));
  const auto second = hello_through(host("a2"));
  ASSERT_EQ(arrived_.size(), 2u);
  EXPECT_EQ(arrived_[0].peer, "a1");
  EXPECT_EQ(arrived_[1].peer, "a2");
}

TEST_F(AdoptedLink, MessagesPassBothWaysAndItsEndIsHeard) {
  const auto agent = hello_through(host("a1"));
  ASSERT_NE(agent, nullptr);
  std::vector<CoordinatorMessage> told;
  agent->listen([&](const CoordinatorMessage& message) { told.push_back(message); }, [](const Status&) {});
  int lost = 0;
  std::vector<AgentMessage> heard;
  arrived_[0].channel->listen([&](const AgentMessage& message) { heard.push_back(message); },
                              [&](const Status&) { ++lost; });
  arrived_[0].channel->send(Dismiss{});
  Report report;
  report.trouble = std::string(1 << 20, 'x');
  agent->send(report);
  ASSERT_TRUE(loop_.run_until([&] { return !told.empty() && !heard.empty(); }));
  EXPECT_EQ(std::get<Report>(heard[0]).trouble.size(), size_t{1} << 20);
  pumps_[0]->hang_up();
  EXPECT_TRUE(loop_.run_until([&] { return lost == 1; }));
}

Report of_ranks(size_t ranks) {
  Report report;
  for (size_t i = 0; i < ranks; ++i) {
    report.ranks.emplace_back();
    report.ranks.back().index = static_cast<uint32_t>(i);
    report.ranks.back().standing = RankLocation{"futex (futex_wait)", std::string(8 << 10, 's')};
  }
  return report;
}

TEST_F(AdoptedLink, ReportsOfAThousandRanksPassAndWhatIsEndlessEndsTheLink) {
  const auto agent = hello_through(host("a1"));
  ASSERT_NE(agent, nullptr);
  agent->listen([](const CoordinatorMessage&) {}, [](const Status&) {});
  bool lost = false;
  size_t heard = 0;
  arrived_[0].channel->listen([&](const AgentMessage&) { ++heard; }, [&](const Status&) { lost = true; });
  agent->send(of_ranks(1000));
  ASSERT_TRUE(loop_.run_until([&] { return heard == 1; }));
  agent->send(of_ranks(3000));
  EXPECT_TRUE(loop_.run_until([&] { return lost || heard == 2; }));
  EXPECT_TRUE(lost);
}

TEST_F(AdoptedLink, NothingOfAControllerIsToBeReachedThere) {
  const std::string path = host("a1");
  GrpcControlClient client(loop_, path);
  const Status answer = loop_.during([&] { return client.info(); }).status();
  EXPECT_EQ(answer.code(), Code::unimplemented);
}

}  // namespace
}  // namespace muster
