#include "launcher/follow/follower.h"

#include <gmock/gmock.h>

#include "launcher/follow/follow_fakes.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

using testing::ElementsAre;

class Listener final : public FollowListener {
 public:
  void on_event(const JobEvent& event) override { lines.push_back("event " + std::to_string(event.sequence)); }
  void on_view(const JobView& view) override { lines.push_back("view " + view.state); }
  void on_output(const OutputChunk& chunk) override {
    lines.push_back(std::to_string(chunk.position.offset) + " " + chunk.bytes);
  }
  void on_remark(const std::string& sentence) override { lines.push_back("remark " + sentence); }
  void on_end(const Status& status) override { lines.push_back("end " + std::string(to_string(status.code()))); }
  std::vector<std::string> lines;
};

class FollowerTest : public testing::Test {
 protected:
  Follower::Connect connect() {
    return [this]() -> Result<std::shared_ptr<ControlClient>> {
      ++attempts;
      if (!reachable) return Status(Code::unavailable, "no controller");
      return std::shared_ptr<ControlClient>(second);
    };
  }

  sim::SimLoop loop;
  Listener listener;
  std::shared_ptr<FakeClient> first = std::make_shared<FakeClient>();
  std::shared_ptr<FakeClient> second = std::make_shared<FakeClient>();
  bool reachable = true;
  int attempts = 0;
  Follower follower{loop, first, connect(), listener};
};

TEST_F(FollowerTest, PassesOnWhatComes) {
  follower.start({.job = "j"});
  first->send({view_of(1)});
  first->send({event_of(1, "placed")});
  first->send({chunk_of(0, 0, "hello")});
  first->end(Status());
  EXPECT_THAT(listener.lines, ElementsAre("view running", "event 1", "0 hello", "end ok"));
}

TEST_F(FollowerTest, ControllerGone_GoesOnWhereItWas) {
  follower.start({.job = "j", .events = true});
  first->send({event_of(1, "placed")});
  first->send({event_of(2, "running")});
  first->send({chunk_of(0, 0, "hello")});
  first->end({Code::unavailable, "gone"});
  loop.run_for(Follower::pause);
  ASSERT_EQ(second->streams.size(), 1u);
  const FollowRequest& request = second->streams[0].request;
  EXPECT_EQ(request.from_event, 3u);
  EXPECT_THAT(request.resume, ElementsAre(OutputPosition{1, 0, OutputStream::out, 5}));
  second->send({chunk_of(0, 5, " world")});
  EXPECT_THAT(listener.lines, ElementsAre("event 1", "event 2", "0 hello",
                                          "remark the controller was gone for 250 ms; the job went on", "5  world"));
}

TEST_F(FollowerTest, ControllerGoneForLong_IsToldBeforeItIsBack) {
  reachable = false;
  follower.start({.job = "j"});
  first->end({Code::unavailable, "gone"});
  loop.run_for(Follower::worth_telling + Follower::pause);
  EXPECT_THAT(listener.lines, ElementsAre("remark the controller went away; connecting again"));
  reachable = true;
  loop.run_for(Follower::pause);
  second->send({view_of(1)});
  EXPECT_EQ(listener.lines.at(1), "remark the controller is back after 2.5 s; the job went on");
  second->end({Code::unavailable, "gone"});
  loop.run_for(Follower::pause);
  second->send({view_of(1)});
  EXPECT_EQ(listener.lines.at(3), "remark the controller was gone for 250 ms; the job went on");
}

TEST_F(FollowerTest, RepeatedBytesAndEvents_AreShownOnce) {
  follower.start({.job = "j"});
  first->send({chunk_of(0, 0, "abc")});
  first->send({chunk_of(0, 0, "abc")});
  first->send({chunk_of(0, 1, "bcdef")});
  first->send({event_of(1, "a")});
  first->send({event_of(1, "a")});
  EXPECT_THAT(listener.lines, ElementsAre("0 abc", "3 def", "event 1"));
}

TEST_F(FollowerTest, ControllerStaysAway_GivesUpAfterItsPatience) {
  reachable = false;
  follower.start({.job = "j"});
  first->end({Code::unavailable, "gone"});
  loop.run_for(Follower::patience - Follower::pause);
  EXPECT_EQ(listener.lines.size(), 1u);
  loop.run_for(2 * Follower::pause);
  EXPECT_EQ(listener.lines.back(), "end unavailable");
  const int attempts_then = attempts;
  loop.run_for(Follower::patience);
  EXPECT_EQ(attempts, attempts_then);
}

TEST_F(FollowerTest, ControllerComesAndGoesWithoutAWord_GivesUpToo) {
  follower.start({.job = "j"});
  first->end({Code::unavailable, "gone"});
  const auto ended = [&] { return !listener.lines.empty() && listener.lines.back() == "end unavailable"; };
  for (int i = 0; i < 200 && !ended(); ++i) {
    loop.run_for(Follower::pause);
    if (!second->streams.empty()) second->end({Code::unavailable, "gone"});
  }
  EXPECT_EQ(listener.lines.back(), "end unavailable");
}

TEST_F(FollowerTest, OtherEnds_AreEnds) {
  follower.start({.job = "j"});
  first->end({Code::not_found, "no such job"});
  loop.run_for(Follower::patience);
  EXPECT_THAT(listener.lines, ElementsAre("end not_found"));
  EXPECT_EQ(attempts, 0);
}

}  // namespace
}  // namespace muster
