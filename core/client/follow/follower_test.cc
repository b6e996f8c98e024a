// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/follower.h"

#include <gmock/gmock.h>

#include "core/client/follow/follow_fakes.h"
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

// Output files of ranks, by path.
class FakeFiles final : public NearFiles {
 public:
  Status read(const std::string& path, uint64_t offset, size_t limit, std::string& bytes) override {
    if (!files.contains(path)) return Status(Code::not_found, path);
    if (offset >= files[path].size()) return Status(Code::data_loss, path);
    bytes = files[path].substr(offset, limit);
    return Status();
  }
  std::map<std::string, std::string> files;
};

OutputSpan span_of(uint32_t index, uint64_t offset, uint64_t length) {
  return {{1, index, OutputStream::out, offset}, length, std::to_string(index)};
}

class FollowerTest : public testing::Test {
 protected:
  Follower::Connect connect() {
    return [this]() -> Result<std::shared_ptr<JobClient>> {
      ++attempts;
      if (!reachable) return Status(Code::unavailable, "no controller");
      return std::shared_ptr<JobClient>(second);
    };
  }

  sim::SimLoop loop;
  Listener listener;
  std::shared_ptr<FakeClient> first = std::make_shared<FakeClient>();
  std::shared_ptr<FakeClient> second = std::make_shared<FakeClient>();
  bool reachable = true;
  int attempts = 0;
  Follower follower{loop, first, connect(), nullptr, listener};
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
  EXPECT_THAT(listener.lines,
              ElementsAre("event 1", "event 2", "0 hello",
                          "remark the controller did not answer for 250 ms; the job continued", "5  world"));
}

TEST_F(FollowerTest, ControllerGoneForLong_IsToldBeforeItIsBack) {
  reachable = false;
  follower.start({.job = "j"});
  first->end({Code::unavailable, "gone"});
  loop.run_for(Follower::worth_telling + Follower::pause);
  EXPECT_THAT(listener.lines, ElementsAre("remark lost the connection to the controller; reconnecting"));
  reachable = true;
  loop.run_for(Follower::pause);
  second->send({view_of(1)});
  EXPECT_EQ(listener.lines.at(1), "remark connected to the controller again after 2.5 s; the job continued");
  second->end({Code::unavailable, "gone"});
  loop.run_for(Follower::pause);
  second->send({view_of(1)});
  EXPECT_EQ(listener.lines.at(3), "remark the controller did not answer for 250 ms; the job continued");
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

class NearFollowerTest : public FollowerTest {
 protected:
  NearFollowerTest() { near.start({.job = "j", .output = true}); }
  const FakeClient::Stream& stream() const { return first->streams.back(); }
  // The lines shown so far; a long line is replaced by its length.
  std::vector<std::string> shown() {
    loop.run_for(Duration(1));
    for (std::string& line : listener.lines) {
      if (line.size() > 100) line = std::to_string(line.size());
    }
    return listener.lines;
  }

  FakeFiles files;
  Follower near{loop, first, connect(), &files, listener};
};

TEST_F(NearFollowerTest, ReadsWhatItIsTold) {
  EXPECT_TRUE(stream().request.in_place);
  files.files["0"] = "hello";
  first->send({span_of(0, 0, 5)});
  EXPECT_FALSE(*stream().held);
  files.files["0"] += " world\n";
  first->send({span_of(0, 5, 7)});
  first->end(Status());
  EXPECT_THAT(shown(), ElementsAre("0 hello", "5  world\n", "end ok"));
}

TEST_F(NearFollowerTest, NoOutputAsked_NoFilesRead) {
  Follower other(loop, second, connect(), &files, listener);
  other.start({.job = "j", .events = true});
  EXPECT_FALSE(second->streams.back().request.in_place);
}

TEST_F(NearFollowerTest, ALongSpan_TakesTurns_AndTheStreamWaits) {
  files.files["0"] = std::string(Follower::block + 5, 'x');
  first->send({span_of(0, 0, Follower::block + 5)});
  EXPECT_TRUE(*stream().held);
  EXPECT_EQ(listener.lines.size(), 1u);
  EXPECT_THAT(shown(), ElementsAre(std::to_string(Follower::block + 2), std::to_string(Follower::block) + " xxxxx"));
  EXPECT_FALSE(*stream().held);
}

// Bytes of the rank's other stream may come before them.
TEST_F(NearFollowerTest, Span_FileHasLaterBytes_AreNotReadAhead) {
  files.files["0"] = "one\ntwo\n";
  first->send({span_of(0, 0, 4)});
  EXPECT_THAT(shown(), ElementsAre("0 one\n"));
  first->send({span_of(0, 4, 4)});
  EXPECT_THAT(shown(), ElementsAre("0 one\n", "4 two\n"));
}

TEST_F(NearFollowerTest, FilesAreElsewhere_AsksTheSameForBytes) {
  first->send({span_of(0, 7, 5)});
  loop.run_for(Duration(1));
  ASSERT_EQ(first->streams.size(), 2u);
  EXPECT_FALSE(stream().request.in_place);
  EXPECT_THAT(stream().request.resume, ElementsAre());
}

TEST_F(NearFollowerTest, BytesWereDropped_AsksForWhatFollows) {
  files.files["0"] = "hello";
  files.files["1"] = "old\nnew\n";
  first->send({span_of(0, 0, 5)});
  first->send({span_of(1, 8, 0)});
  first->send({span_of(0, 5, 20)});
  loop.run_for(Duration(1));
  ASSERT_EQ(first->streams.size(), 2u);
  EXPECT_FALSE(stream().request.in_place);
  EXPECT_THAT(stream().request.resume,
              ElementsAre(OutputPosition{1, 0, OutputStream::out, 5}, OutputPosition{1, 1, OutputStream::out, 8}));
  first->send({chunk_of(0, 20, "world")});
  EXPECT_THAT(shown(), ElementsAre("0 hello", "20 world"));
}

TEST_F(NearFollowerTest, RemovedWithItsJob_IsTheEnd) {
  files.files["0"] = "hello";
  first->send({span_of(0, 0, 5)});
  files.files.clear();
  first->send({span_of(0, 5, 5)});
  EXPECT_THAT(shown(), ElementsAre("0 hello", "end not_found"));
  EXPECT_EQ(first->streams.size(), 1u);
}

TEST_F(NearFollowerTest, ControllerGone_GoesOnWhereItWas) {
  files.files["0"] = "hello";
  first->send({span_of(0, 0, 5)});
  first->end({Code::unavailable, "gone"});
  loop.run_for(Follower::pause);
  ASSERT_EQ(second->streams.size(), 1u);
  EXPECT_TRUE(second->streams[0].request.in_place);
  EXPECT_THAT(second->streams[0].request.resume, ElementsAre(OutputPosition{1, 0, OutputStream::out, 5}));
}

TEST_F(NearFollowerTest, HeldInTheMiddleOfASpan_GoesOnThereWhenLetGo) {
  files.files["0"] = std::string(Follower::block + 5, 'x');
  first->send({span_of(0, 0, Follower::block + 5)});
  near.hold(true);
  EXPECT_EQ(shown().size(), 1u) << "no further block is read";
  near.hold(false);
  EXPECT_TRUE(*stream().held) << "the span is not read to its end";
  EXPECT_EQ(shown().back(), std::to_string(Follower::block) + " xxxxx");
  EXPECT_FALSE(*stream().held);
}

TEST_F(FollowerTest, HeldBetweenItems_HoldsTheStreamAndTheOneAfterALoss) {
  follower.start({.job = "j"});
  follower.hold(true);
  EXPECT_TRUE(*first->streams[0].held);
  first->end({Code::unavailable, "gone"});
  loop.run_for(Follower::pause);
  ASSERT_EQ(second->streams.size(), 1u);
  EXPECT_TRUE(*second->streams[0].held);
  follower.hold(false);
  EXPECT_FALSE(*second->streams[0].held);
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
