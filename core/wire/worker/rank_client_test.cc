// SPDX-License-Identifier: Apache-2.0
#include "core/wire/worker/rank_client.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"
#include "core/wire/worker/worker_socket.h"

namespace muster {
namespace {

class RankClientTest : public testing::Test {
 protected:
  RankClientTest() {
    socket_.listen(
        [this](const WorkerCall& call, const WorkerListener::Answer& answer) { call_ = call, answer(answer_); },
        [](const std::string&) {});
    socket_.serve_execs([this](const ExecStart& start, std::unique_ptr<ExecChannel> viewer) {
      started_ = start;
      viewer_ = std::move(viewer);
    });
  }
  RankClient client() const {
    return *RankClient::of({{"MUSTER_SOCKET", path_}, {"MUSTER_ATTEMPT", "2"}, {"MUSTER_INDEX", "3"}});
  }

  AsioLoop loop_;
  std::string path_ = testing::TempDir() + "rank-client." + std::to_string(getpid());
  WorkerSocket socket_{loop_, path_};
  WorkerCall call_;
  RendezvousAnswer answer_;
  ExecStart started_;
  std::unique_ptr<ExecChannel> viewer_;
};

TEST_F(RankClientTest, Of_AnEnvironmentThatDescribesNoRank_IsNothing) {
  EXPECT_FALSE(RankClient::of({}));
  EXPECT_FALSE(RankClient::of({{"MUSTER_SOCKET", ""}, {"MUSTER_ATTEMPT", "1"}, {"MUSTER_INDEX", "0"}}));
  EXPECT_FALSE(RankClient::of({{"MUSTER_SOCKET", path_}, {"MUSTER_ATTEMPT", "1x"}, {"MUSTER_INDEX", "0"}}));
}

TEST_F(RankClientTest, Get_AsksForTheRank_AndReturnsTheValue) {
  answer_.value = "here";
  Result<std::string> got = Status(Code::unknown, "");
  std::thread asks([&] {
    got = client().get("where");
    loop_.stop();
  });
  loop_.run();
  asks.join();
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ(*got, "here");
  EXPECT_EQ(call_.attempt, 2u);
  EXPECT_EQ(call_.index, 3u);
  EXPECT_EQ(std::get<RendezvousCall>(call_.call).key, "where");
}

TEST_F(RankClientTest, Exec_CarriesFramesBothWays) {
  ExecStart start;
  start.index = 1;
  start.argv = {"relay"};
  start.own_program = true;
  const auto channel = client().exec(loop_, start);
  std::vector<ExecFrame> came, went;
  channel->listen([&](const ExecFrame& frame) { came.push_back(frame); }, [](const Status&) {});
  ASSERT_TRUE(run_until(loop_, [&] { return viewer_ != nullptr; }));
  EXPECT_EQ(started_.viewer_attempt, 2u);
  started_.viewer_attempt = 0;
  EXPECT_EQ(started_, start);
  viewer_->listen([&](const ExecFrame& frame) { went.push_back(frame); }, [](const Status&) {});
  channel->send({0, ExecSignal{15}});
  viewer_->send({0, ExecBytes{ExecStream::out, "said", false}});
  ASSERT_TRUE(run_until(loop_, [&] { return !came.empty() && !went.empty(); }));
  EXPECT_EQ(went[0], (ExecFrame{0, ExecSignal{15}}));
  EXPECT_EQ(came[0], (ExecFrame{0, ExecBytes{ExecStream::out, "said", false}}));
}

}  // namespace
}  // namespace muster
