// libmuster's connection against the socket of an agent: by the socket and through a lane.
#include "core/wire/worker/worker_socket.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <future>
#include <thread>

#include "core/system/asio/asio_loop.h"
#include "core/worker/client/connection.h"

namespace muster {
namespace {

using worker::Connection;
using worker::Reply;
using worker::StoreCall;
using Kind = StoreCall::Kind;

constexpr int kMany = 200;  // more than a connection makes before it asks for a lane
constexpr Duration kLong = std::chrono::seconds(60);

// How many lanes this process has mapped, both ends counted.
int mapped_lanes() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("memfd:muster lane") != std::string::npos;
  return count;
}

// An agent whose `get` gives as many bytes as its key says, whose `add` counts, and which answers `remove` in a later
// turn.
class Socket : public ::testing::Test {
 protected:
  Socket() {
    socket_->listen([this](WorkerCall call, const WorkerDoor::Answer& answer) { take(std::move(call), answer); });
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
    return connection.short_call(worker::store_frame({1, 0}, call), kLong, false);
  }
  static Result<Reply> count(Connection& connection) { return ask(connection, {Kind::add, "counter"}); }
  // Until it has a lane.
  static void count_many(Connection& connection) {
    for (int i = 0; i < kMany; ++i) ASSERT_TRUE(count(connection).ok());
  }
  // Runs on the loop, and gives what it gives.
  template <typename Function>
  auto on_loop(Function function) {
    std::promise<decltype(function())> promise;
    loop_.post([&] { promise.set_value(function()); });
    return promise.get_future().get();
  }
  // Until the agent has let go of all but `left` lanes' ends.
  void wait_for_lanes(int left) {
    while (mapped_lanes() > left) on_loop([] { return 0; });
  }

  std::vector<std::unique_ptr<Connection>> connections_;
  std::string path_ = "/tmp/worker_socket_test." + std::to_string(getpid());

 private:
  void take(WorkerCall call, const WorkerDoor::Answer& answer) {
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

TEST_F(Socket, ManyShortCallsGetALane) {
  Connection& connection = connect();
  ASSERT_TRUE(count(connection).ok());
  EXPECT_EQ(mapped_lanes(), 0);
  count_many(connection);
  EXPECT_EQ(mapped_lanes(), 2);
  EXPECT_EQ(count(connection)->value, std::to_string(kMany + 2));
}

TEST_F(Socket, AnswersOfAnyLengthComeWhole) {
  Connection& connection = connect();
  count_many(connection);
  for (const size_t size : {0UL, 1UL, 4000UL, 4070UL, 4084UL, 4085UL, 1UL << 20}) {
    const std::string key = std::to_string(size);
    const Result<Reply> reply = ask(connection, {Kind::get, key});
    ASSERT_TRUE(reply.ok()) << size << ": " << reply.status().message();
    EXPECT_EQ(reply->value.size(), size);
  }
}

TEST_F(Socket, QuestionsOfAnyLengthAreUnderstood) {
  Connection& connection = connect();
  count_many(connection);
  int asked = kMany;
  for (const size_t size : {1UL, 4000UL, 4070UL, 4084UL, 4085UL, 1UL << 20}) {
    const std::string value(size, 'q');
    EXPECT_EQ(ask(connection, {Kind::add, "counter", value})->value, std::to_string(++asked)) << size;
  }
}

TEST_F(Socket, AnAnswerMayComeInALaterTurn) {
  Connection& connection = connect();
  count_many(connection);
  for (int i = 0; i < kMany; ++i) ASSERT_EQ(ask(connection, {Kind::remove, "key"})->value, "later");
}

TEST_F(Socket, CallsThatWaitGoByTheSocketOfTheSameConnection) {
  Connection& connection = connect();
  count_many(connection);
  for (int i = 0; i < kMany; ++i) {
    ASSERT_EQ(connection.call(worker::store_frame({1, 0}, {Kind::remove, "key"}), kLong)->value, "later");
    ASSERT_TRUE(count(connection).ok());
  }
}

TEST_F(Socket, ManyAtOnceAreAllServed) {
  constexpr int kThreads = 8;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&connection = connect()] { count_many(connection); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count(connect())->value, std::to_string(kThreads * kMany + 1));
  EXPECT_EQ(mapped_lanes(), 2 * kThreads);
}

TEST_F(Socket, ALaneGoesWithItsConnection) {
  count_many(connect());
  count_many(connect());
  connections_.pop_back();
  wait_for_lanes(2);
  EXPECT_TRUE(count(*connections_.front()).ok());
  connections_.clear();
  wait_for_lanes(0);
}

// A rank that wrote into its lane what it should not: its connection ends, and the others' do not.
class Mad : public Socket {
 protected:
  Mad() {
    count_many(connect());
    count_many(mad_);
    std::ifstream maps("/proc/self/maps");
    std::vector<LaneMemory*> lanes;
    for (std::string line; std::getline(maps, line);) {
      if (line.find("memfd:muster lane") != std::string::npos)
        lanes.push_back(reinterpret_cast<LaneMemory*>(std::stoul(line, nullptr, 16)));
    }
    // Both ends of its lane look the same; its marks tell which they are.
    EXPECT_TRUE(ask(mad_, {Kind::get, "7"}).ok());
    for (LaneMemory* lane : lanes) {
      if (std::string_view(lane->rank.bytes, lane->rank.size).find('7') != std::string_view::npos) lane_ = lane;
    }
  }

  void expect_end() {
    EXPECT_EQ(count(mad_).status().code(), Code::unavailable);
    EXPECT_TRUE(count(*connections_.back()).ok());
  }

  Connection& mad_ = connect();
  LaneMemory* lane_ = nullptr;
};

TEST_F(Mad, WhoSkipsQuestionsIsCutOff) {
  lane_->rank.count += 5;
  expect_end();
}

TEST_F(Mad, WhoseCountIsClearedIsCutOff) {
  lane_->rank.count = 0;
  expect_end();
}

TEST_F(Mad, WhoseMessageIsNoneIsCutOff) {
  std::memset(lane_->rank.bytes, 0xff, sizeof lane_->rank.bytes);
  lane_->rank.size = 100;
  lane_->rank.count += 1;
  expect_end();
}

TEST_F(Mad, WhoSaysThatTheAgentIsAwakeWaitsForNobodyElse) {
  lane_->agent.sleeps = 0;
  const auto impatient = std::chrono::milliseconds(1);
  const std::string frame = worker::store_frame({1, 0}, {Kind::add, "counter"});
  const Result<Reply> reply = mad_.short_call(frame, impatient, false);
  EXPECT_TRUE(reply.ok() || reply.status().code() == Code::deadline_exceeded);
  EXPECT_TRUE(count(*connections_.back()).ok());
}

TEST_F(Mad, WhoRingsAllTheTimeIsHeardOnce) {
  const std::string bells(1 << 20, '\0');
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(mad_.call(bells + worker::store_frame({1, 0}, {Kind::add, "c"}), kLong).ok());
  EXPECT_TRUE(count(mad_).ok());
}

}  // namespace
}  // namespace muster
