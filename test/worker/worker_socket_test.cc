// SPDX-License-Identifier: Apache-2.0
// libmuster's connection to the socket of an agent.
#include "core/wire/worker/worker_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include <future>
#include <thread>

#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"
#include "core/worker/client/connection.h"
#include "core/worker/client/wire.h"

namespace muster {
namespace {

using worker::Connection;
using worker::Reply;
using worker::StoreCall;
using Kind = StoreCall::Kind;

constexpr int kMany = 200;
constexpr Duration kLong = std::chrono::seconds(60);

std::string frame_of(const std::string& message) {
  std::string frame;
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(message.size() >> (8 * i) & 0xff);
  return frame + message;
}

// An agent whose `get` returns as many bytes as its key says, whose `add` counts, and which answers `remove` in a later turn.
class Socket : public ::testing::Test {
 protected:
  Socket() {
    socket_->listen([this](WorkerCall call, const WorkerListener::Answer& answer) { take(std::move(call), answer); },
                    [this](const std::string& what) { troubles_.push_back(what); });
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Socket() override {
    connections_.clear();
    loop_.post([this] { loop_.stop(); });
    thread_.join();
  }

  Connection& connect() {
    connections_.push_back(std::make_unique<Connection>(std::move(*Connection::open(path_))));
    return *connections_.back();
  }
  static Result<Reply> ask(Connection& connection, const StoreCall& call) {
    return connection.call(worker::store_frame({1, 0}, call), kLong);
  }
  static Result<Reply> count(Connection& connection) { return ask(connection, {Kind::add, "counter"}); }
  static void count_many(Connection& connection) {
    for (int i = 0; i < kMany; ++i) ASSERT_TRUE(count(connection).ok());
  }

  // On the loop, like all calls of the socket.
  void on_loop(const std::function<void()>& act) {
    std::promise<void> done;
    loop_.post([&] {
      act();
      done.set_value();
    });
    done.get_future().wait();
  }
  void restore() {
    on_loop([this] { socket_->restore(); });
  }

  std::vector<std::string> troubles_;

  std::vector<std::unique_ptr<Connection>> connections_;
  std::string path_ = "/tmp/worker_socket_test." + std::to_string(getpid());

 private:
  void take(WorkerCall call, const WorkerListener::Answer& answer) {
    const auto& asked = std::get<RendezvousCall>(call.call);
    if (asked.kind == RendezvousCall::Kind::add) return answer(RendezvousAnswer{{}, std::to_string(++counter_), {}});
    if (asked.kind == RendezvousCall::Kind::get)
      return answer(RendezvousAnswer{{}, std::string(std::stoul(asked.key), 'v'), {}});
    if (asked.kind == RendezvousCall::Kind::remove) loop_.post([answer] { answer(RendezvousAnswer{{}, "later", {}}); });
  }

  AsioLoop loop_;
  std::unique_ptr<WorkerSocket> socket_ = std::make_unique<WorkerSocket>(loop_, path_);
  int counter_ = 0;
  std::thread thread_;
};

TEST_F(Socket, Answer_OfAnyLength_ArrivesWhole) {
  Connection& connection = connect();
  for (const size_t size : {0UL, 1UL, 4000UL, 4070UL, 4084UL, 4085UL, 1UL << 20}) {
    const std::string key = std::to_string(size);
    const Result<Reply> reply = ask(connection, {Kind::get, key});
    ASSERT_TRUE(reply.ok()) << size << ": " << reply.status().message();
    EXPECT_EQ(reply->value.size(), size);
  }
}

TEST_F(Socket, Request_OfAnyLength_IsAnswered) {
  Connection& connection = connect();
  int asked = 0;
  for (const size_t size : {1UL, 4000UL, 4070UL, 4084UL, 4085UL, 1UL << 20}) {
    const std::string value(size, 'q');
    EXPECT_EQ(ask(connection, {Kind::add, "counter", value})->value, std::to_string(++asked)) << size;
  }
}

TEST_F(Socket, Request_AnsweredInALaterTurn_GetsItsOwnAnswer) {
  Connection& connection = connect();
  for (int i = 1; i <= kMany; ++i) {
    ASSERT_EQ(ask(connection, {Kind::remove, "key"})->value, "later");
    ASSERT_EQ(count(connection)->value, std::to_string(i));
  }
}

TEST_F(Socket, Request_WithPolling_IsAnswered) {
  const std::string frame = worker::store_frame({1, 0}, {Kind::add, "counter"});
  Connection& connection = connect();
  for (int i = 1; i <= kMany; ++i) ASSERT_EQ(connection.call(frame, kLong, true)->value, std::to_string(i));
}

TEST_F(Socket, Requests_OfManyThreads_AreEachAnsweredOnce) {
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&connection = connect()] { count_many(connection); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count(connect())->value, std::to_string(kThreads * kMany + 1));
}

// Older libraries ask for shared memory in field 8. If the agent refuses, they continue to use the socket.
TEST_F(Socket, LaneRequest_OfAnOlderLibrary_IsRefusedAndTheConnectionStays) {
  const std::string message =
      worker::WireWriter().number(1, 1).message(8, [](worker::WireWriter& body) { body.number(1, 1); }).text();
  Connection& connection = connect();
  const Result<Reply> reply = connection.call(frame_of(message), kLong);
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  EXPECT_EQ(reply->kind, Reply::Kind::store);
  EXPECT_EQ(reply->status.code(), Code::unimplemented);
  EXPECT_EQ(count(connection)->value, "1");
}

TEST_F(Socket, UnfinishedFrames_OfManyConnections_AreBounded) {
  constexpr size_t kSent = 3 << 20;
  constexpr int kOpened = 100;
  Connection& rank = connect();
  EXPECT_EQ(count(rank)->value, "1");
  std::string half = frame_of(std::string(4 << 20, 'x'));
  half.resize(kSent);
  std::vector<UniqueFd> flood;
  int closed = 0;
  for (int i = 0; i < kOpened; ++i) {
    flood.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(connect_unix(flood.back().get(), path_), 0);
    for (size_t at = 0; at < half.size();) {
      const ssize_t sent = send(flood.back().get(), half.data() + at, half.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) break;
      at += static_cast<size_t>(sent);
    }
  }
  EXPECT_EQ(count(rank)->value, "2");
  for (const UniqueFd& fd : flood) {
    char byte = 0;
    closed += recv(fd.get(), &byte, 1, MSG_DONTWAIT) >= 0 || errno != EAGAIN ? 1 : 0;
  }
  EXPECT_GE(closed, kOpened - 42);  // 42 * 3 MiB are more than 128 MiB with the spare memory of the buffers
  EXPECT_LT(closed, kOpened);
  on_loop([&] {
    ASSERT_FALSE(troubles_.empty());
    EXPECT_EQ(troubles_[0], "process " + std::to_string(getpid()) +
                                " was disconnected from its agent: unfinished messages of the "
                                "ranks take more than 128 MiB");
  });
}

TEST_F(Socket, Restore_SocketWasDeleted_ListensAnewAndKeepsConnections) {
  Connection& before = connect();
  EXPECT_EQ(count(before)->value, "1");
  unlink(path_.c_str());
  restore();
  EXPECT_EQ(count(connect())->value, "2");
  EXPECT_EQ(count(before)->value, "3");
}

TEST(SocketPath, TooLong_IsToldOnceAndRanksHaveNoSocket) {
  AsioLoop loop;
  WorkerSocket socket(loop, "/tmp/" + std::string(120, 'x'));
  std::vector<std::string> troubles;
  socket.listen([](const WorkerCall&, const WorkerListener::Answer&) {},
                [&](const std::string& what) { troubles.push_back(what); });
  socket.restore();
  EXPECT_TRUE(run_until(loop, [&] { return !troubles.empty(); }));
  socket.restore();
  bool later = false;
  loop.post([&] { later = true; });
  EXPECT_TRUE(run_until(loop, [&] { return later; }));
  ASSERT_EQ(troubles.size(), 1u);
  EXPECT_TRUE(troubles[0].starts_with(std::string(kNoRankSocket) + ": the socket path /tmp/xxx")) << troubles[0];
  EXPECT_TRUE(troubles[0].ends_with(" has 125 bytes; it can have at most 103")) << troubles[0];
  EXPECT_EQ(socket.path(), "");
}

TEST_F(Socket, Restore_SocketIsThere_StaysTheSame) {
  const FileMark mark = mark_of(path_);
  restore();
  EXPECT_EQ(mark_of(path_), mark);
}

TEST_F(Socket, Frame_ThatIsNoMessage_EndsItsConnectionOnly) {
  Connection& other = connect();
  EXPECT_EQ(connect().call(frame_of(std::string(100, '\xff')), kLong).status().code(), Code::unavailable);
  EXPECT_EQ(count(other)->value, "1");
}

TEST_F(Socket, Frame_AboveTheLimit_EndsItsConnectionOnly) {
  Connection& other = connect();
  const std::string header("\xff\xff\xff\xff", 4);
  EXPECT_EQ(connect().call(header, kLong).status().code(), Code::unavailable);
  EXPECT_EQ(count(other)->value, "1");
}

}  // namespace
}  // namespace muster
