#include "core/agent/guest_desk.h"

#include <gtest/gtest.h>

#include <deque>

namespace muster {
namespace {

using Part = decltype(GuestFrame::part);

struct Started {
  GuestRequest request;
  GuestHandlers handlers;
  std::string written;
  std::map<GuestStream, size_t> allowed;
  bool input_ended = false;
  bool gone = false;
};

class FakeGuest final : public Guest {
 public:
  explicit FakeGuest(Started& started) : started_(started) {}
  ~FakeGuest() override { started_.gone = true; }
  void write(std::string_view bytes) override { started_.written += bytes; }
  void end_input() override { started_.input_ended = true; }
  void allow(GuestStream stream, size_t bytes) override { started_.allowed[stream] += bytes; }
  void resize(uint16_t, uint16_t) override {}
  void signal(int) override {}
  void hang_up() override {}

 private:
  Started& started_;
};

struct FakeGuests final : GuestHost {
  Result<std::unique_ptr<Guest>> start(const GuestRequest& request, GuestHandlers handlers) override {
    if (!failure.ok()) return failure;
    started.push_back({request, std::move(handlers), "", {}, false, false});
    return std::unique_ptr<Guest>(std::make_unique<FakeGuest>(started.back()));
  }
  Status failure;
  std::deque<Started> started;
};

struct SentFrames final : ChannelToCoordinator {
  void send(const AgentMessage& message) override { frames.push_back(std::get<GuestFrame>(message)); }
  void listen(std::function<void(const CoordinatorMessage&)>, std::function<void(const Status&)>) override {}
  std::vector<GuestFrame> frames;
};

class GuestDeskTest : public testing::Test {
 protected:
  GuestDeskTest() {
    place.spawn.environment = {"A=1", "B=2"};
    place.spawn.workdir = "/home/ann";
    desk.connect(&channel);
  }
  void hear(uint64_t id, Part part) { desk.heard({id, std::move(part)}); }
  void begin(uint64_t id) {
    GuestStart start;
    start.argv = {"cat"};
    start.environment = {{"B", "3"}};
    start.workdir = "sub";
    hear(id, start);
  }
  template <typename Kind>
  const Kind& last() const {
    return std::get<Kind>(channel.frames.back().part);
  }

  FakeGuests host;
  SentFrames channel;
  GuestRequest place;
  Status refusal;
  GuestDesk desk{
      host, [this](uint32_t) { return refusal.ok() ? Result<GuestRequest>(place) : Result<GuestRequest>(refusal); }};
};

TEST_F(GuestDeskTest, AGuestStartsAsItsRankDidAndAsItsViewerAsks) {
  begin(5);
  ASSERT_EQ(host.started.size(), 1u);
  const SpawnRequest& spawn = host.started[0].request.spawn;
  EXPECT_EQ(spawn.argv, (std::vector<std::string>{"cat"}));
  EXPECT_EQ(spawn.environment, (std::vector<std::string>{"A=1", "B=3"}));
  EXPECT_EQ(spawn.workdir, "/home/ann/sub");
  EXPECT_EQ(host.started[0].allowed[GuestStream::out], kGuestWindow);
}

TEST_F(GuestDeskTest, BytesGoBothWaysAndTheLastFrameIsTheEnd) {
  begin(5);
  Started& guest = host.started[0];
  hear(5, GuestBytes{GuestStream::in, "hello", true});
  EXPECT_EQ(guest.written, "hello");
  EXPECT_TRUE(guest.input_ended);
  guest.handlers.taken(5);
  EXPECT_EQ(last<GuestTaken>(), (GuestTaken{GuestStream::in, 5}));
  guest.handlers.printed(GuestStream::err, "oh");
  EXPECT_EQ(last<GuestBytes>(), (GuestBytes{GuestStream::err, "oh", false}));
  ExitStatus exit;
  exit.code = 4;
  guest.handlers.ended(exit);
  EXPECT_EQ(last<GuestEnd>(), (GuestEnd{exit, 0, ""}));
  EXPECT_TRUE(guest.gone);
}

TEST_F(GuestDeskTest, ItAllowsNoMoreThanWasTaken) {
  begin(5);
  Started& guest = host.started[0];
  guest.handlers.printed(GuestStream::out, std::string(100, 'x'));
  hear(5, GuestTaken{GuestStream::out, 1 << 30});
  EXPECT_EQ(guest.allowed[GuestStream::out], kGuestWindow + 100);
}

TEST_F(GuestDeskTest, AViewerThatSendsPastTheWindowLosesItsGuest) {
  begin(5);
  hear(5, GuestBytes{GuestStream::in, std::string(kGuestWindow, 'x'), false});
  EXPECT_FALSE(host.started[0].gone);
  hear(5, GuestBytes{GuestStream::in, "y", false});
  EXPECT_TRUE(host.started[0].gone);
  EXPECT_EQ(last<GuestEnd>().code, static_cast<int>(Code::out_of_range));
}

TEST_F(GuestDeskTest, WhyThereIsNoneIsTold) {
  host.failure = Status(Code::not_found, "no such program");
  begin(5);
  EXPECT_EQ(last<GuestEnd>(), (GuestEnd{std::nullopt, static_cast<int>(Code::not_found), "no such program"}));
  refusal = Status(Code::not_found, "no such rank");
  begin(6);
  EXPECT_EQ(last<GuestEnd>().code, static_cast<int>(Code::failed_precondition))
      << "it is not the program that is missing";
}

TEST_F(GuestDeskTest, OneThatEndedWithItsRanksSaysSo) {
  begin(5);
  refusal = Status(Code::failed_precondition, "over");
  ExitStatus exit;
  exit.kind = ExitStatus::Kind::signalled;
  exit.signal = SIGKILL;
  host.started[0].handlers.ended(exit);
  EXPECT_FALSE(last<GuestEnd>().why.empty());
}

TEST_F(GuestDeskTest, GuestsGoWithTheirViewerTheLinkAndTheCoordinatorsWord) {
  for (const uint64_t id : {1, 2, 3}) begin(id);
  hear(2, GuestLeave{});
  EXPECT_TRUE(host.started[1].gone && !host.started[0].gone);
  hear(0, GuestLeave{});
  EXPECT_TRUE(host.started[0].gone && host.started[2].gone);
  begin(4);
  desk.connect(nullptr);
  EXPECT_TRUE(host.started[3].gone);
}

TEST_F(GuestDeskTest, AStrangersFrameIsDropped) {
  hear(9, GuestBytes{GuestStream::in, "x", false});
  hear(9, GuestTaken{GuestStream::out, 1});
  hear(9, GuestLeave{});
  EXPECT_TRUE(channel.frames.empty());
}

}  // namespace
}  // namespace muster
