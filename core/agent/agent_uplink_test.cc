// SPDX-License-Identifier: Apache-2.0
#include "core/agent/agent_uplink.h"

#include <gtest/gtest.h>

#include <deque>

#include "core/base/log.h"
#include "core/port/loop.h"

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Time passes only in run_until_timer().
class TimedLoop final : public Loop {
 public:
  TimePoint now() const override { return now_; }
  void post(std::function<void()> work) override { posted_.push_back(std::move(work)); }
  TimerId at(TimePoint when, std::function<void()> work) override {
    at_ = when;
    timer_ = std::move(work);
    return 1;
  }
  void cancel(TimerId) override { timer_ = nullptr; }

  void pass(Duration time) { now_ += time; }
  void run_posted() {
    for (; !posted_.empty(); posted_.pop_front()) posted_.front()();
  }
  // Returns how long the timer took.
  Duration run_until_timer() {
    run_posted();
    if (!timer_) return Duration(-1);
    const Duration took = at_ - now_;
    now_ = at_;
    std::exchange(timer_, nullptr)();
    return took;
  }

 private:
  TimePoint now_;
  TimePoint at_;
  std::function<void()> timer_;
  std::deque<std::function<void()>> posted_;
};

struct FakeChannel final : ChannelToCoordinator {
  explicit FakeChannel(FakeChannel** self) { *self = this; }
  void send(const AgentMessage&) override {}
  void listen(std::function<void(const CoordinatorMessage&)> say, std::function<void(const Status&)> close) override {
    heard = std::move(say);
    closed = std::move(close);
  }
  std::function<void(const CoordinatorMessage&)> heard;
  std::function<void(const Status&)> closed;
};

// Each dial opens a channel.
struct OpenDialer final : CoordinatorDialer {
  void dial(std::function<void(Result<std::unique_ptr<ChannelToCoordinator>>)> done) override {
    ++dials;
    done(std::unique_ptr<ChannelToCoordinator>(std::make_unique<FakeChannel>(&channel)));
  }
  uint32_t dials = 0;
  FakeChannel* channel = nullptr;
};

class AgentUplinkTest : public testing::Test {
 protected:
  AgentUplinkTest() { uplink_.dial(); }
  void close() { std::function(dialer_.channel->closed)(Status(Code::failed_precondition, "refused")); }

  TimedLoop loop_;
  OpenDialer dialer_;
  NullLog log_;
  AgentUplink uplink_{{loop_, dialer_, log_},
                      {[] {}, [](const CoordinatorMessage&) {}, [] {}, [this] { uplink_.dial_later(); }}};
};

TEST_F(AgentUplinkTest, Dial_RefusedByTheCoordinator_WaitsLongerEachTime) {
  std::vector<Duration> waits;
  for (int refusals = 0; refusals < 8; ++refusals) {
    close();
    waits.push_back(loop_.run_until_timer());
  }
  EXPECT_EQ(waits, (std::vector<Duration>{milliseconds(20), milliseconds(40), milliseconds(80), milliseconds(160),
                                          milliseconds(320), milliseconds(640), seconds(1), seconds(1)}));
  EXPECT_EQ(dialer_.dials, 9u);
}

TEST_F(AgentUplinkTest, Dial_AfterALinkThatWasAccepted_IsAtOnceAgain) {
  close();
  loop_.run_until_timer();
  dialer_.channel->heard(DesiredState{});
  close();
  EXPECT_EQ(loop_.run_until_timer(), milliseconds(20));
}

TEST_F(AgentUplinkTest, Dial_AfterALinkThatLastedWithoutAMessage_IsAtOnceAgain) {
  close();
  loop_.run_until_timer();
  loop_.pass(seconds(5));
  close();
  EXPECT_EQ(loop_.run_until_timer(), milliseconds(20));
}

}  // namespace
}  // namespace muster
