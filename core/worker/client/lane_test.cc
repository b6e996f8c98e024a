#include "core/worker/client/lane.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cstring>
#include <thread>

#include "core/worker/client/scripted_agent.h"

namespace muster::worker {
namespace {

using std::chrono::milliseconds;

constexpr int kBeforeLane = 7;  // short calls that go by the socket
const std::string kQuestion = "....question";
const std::string kBell(4, '\0');

std::string refusal() {
  const std::string message =
      WireWriter().message(1, [](WireWriter& in) { in.message(1, [](WireWriter& why) { why.number(1, 12); }); }).text();
  return header(message.size()) + message;
}

class LentLane : public ScriptedAgent {
 protected:
  ~LentLane() override {
    if (memory_ != nullptr) munmap(memory_, sizeof(LaneMemory));
  }

  // The calls before the connection asks for a lane.
  void call_until_it_asks() {
    for (int i = 0; i < kBeforeLane; ++i) {
      say(answer("by socket"));
      ASSERT_EQ(short_call(kQuestion)->value, "by socket");
    }
    EXPECT_EQ(heard().size(), kBeforeLane * kQuestion.size());
  }

  // Says yes to what it will ask.
  void lend(int seals = F_SEAL_SHRINK, size_t size = sizeof(LaneMemory)) {
    const int file = memfd_create("lane_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(size)), 0);
    ASSERT_EQ(fcntl(file, F_ADD_SEALS, seals), 0);
    memory_ = static_cast<LaneMemory*>(mmap(nullptr, sizeof(LaneMemory), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    send_with(answer(""), file);
    close(file);
  }

  // What the agent will have said to the first question in the lane.
  void answer_in_lane(const std::string& value) {
    const std::string message = answer(value).substr(4);
    LaneHalf& half = memory_->agent;
    std::memcpy(half.bytes, message.data(), message.size());
    half.size = static_cast<uint32_t>(message.size());
    half.count = 1;
  }

  LaneMemory* memory_ = nullptr;

 private:
  void send_with(const std::string& bytes, int file) {
    iovec place{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof file)] = {};
    msghdr message{};
    message.msg_iov = &place;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* lent = CMSG_FIRSTHDR(&message);
    lent->cmsg_level = SOL_SOCKET;
    lent->cmsg_type = SCM_RIGHTS;
    lent->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(lent), &file, sizeof file);
    ASSERT_EQ(sendmsg(socket(), &message, MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
};

TEST_F(LentLane, ShortCallsGoThroughIt) {
  call_until_it_asks();
  lend();
  answer_in_lane("in lane");
  EXPECT_EQ(short_call(kQuestion)->value, "in lane");
  EXPECT_EQ(heard(), lane_frame());
  EXPECT_EQ(std::string(memory_->rank.bytes, memory_->rank.size), kQuestion.substr(4));
}

TEST_F(LentLane, AnAgentThatSleepsIsRung) {
  call_until_it_asks();
  lend();
  memory_->agent.sleeps = 1;
  answer_in_lane("in lane");
  EXPECT_EQ(short_call(kQuestion)->value, "in lane");
  EXPECT_EQ(heard(), lane_frame() + kBell);
}

TEST_F(LentLane, WhatIsTooLongGoesByTheSocket) {
  call_until_it_asks();
  lend();
  say(answer("by socket"));
  EXPECT_EQ(short_call(std::string(4 + kLaneRoom + 1, 'q'))->value, "by socket");
  EXPECT_EQ(memory_->rank.count, 0U);
  memory_->agent.count = 1;
  memory_->agent.size = UINT32_MAX;
  say(answer("too long for it"));
  EXPECT_EQ(short_call(std::string(4 + kLaneRoom, 'q'))->value, "too long for it");
  EXPECT_EQ(memory_->rank.count, 1U);
}

TEST_F(LentLane, AnAgentThatDiedIsNoticed) {
  call_until_it_asks();
  lend();
  hang_up();
  EXPECT_EQ(short_call(kQuestion).status().code(), Code::unavailable);
}

TEST_F(LentLane, AnAgentThatDiesMeanwhileIsNoticed) {
  call_until_it_asks();
  lend();
  std::thread dying([this] {
    while (memory_->rank.sleeps == 0) std::this_thread::yield();
    hang_up();
  });
  EXPECT_EQ(short_call(kQuestion, Duration(0)).status().code(), Code::unavailable);
  dying.join();
}

TEST_F(LentLane, AnAgentThatIsLateIsNotWaitedFor) {
  call_until_it_asks();
  lend();
  EXPECT_EQ(short_call(kQuestion, milliseconds(1)).status().code(), Code::deadline_exceeded);
}

TEST_F(LentLane, OneThatCouldShrinkOrIsTooShortIsNotUsed) {
  for (const auto& [seals, size] :
       {std::pair(F_SEAL_GROW, sizeof(LaneMemory)), std::pair(F_SEAL_SHRINK, size_t{4096})}) {
    const int file = memfd_create("lane_test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(size)), 0);
    ASSERT_EQ(fcntl(file, F_ADD_SEALS, seals), 0);
    EXPECT_EQ(Lane::map(file), nullptr);
    close(file);
  }
}

TEST_F(LentLane, AConnectionGoesOnByTheSocketWithoutIt) {
  call_until_it_asks();
  lend(F_SEAL_GROW);
  say(answer("by socket"));  // behind the first: memory that comes along parts them (unix(7))
  EXPECT_EQ(short_call(kQuestion)->value, "by socket");
}

TEST_F(LentLane, AnAgentThatHasNoneIsAskedOnce) {
  call_until_it_asks();
  std::thread agent([this] {
    say(refusal());
    while (heard().find(kQuestion) == std::string::npos) std::this_thread::yield();
    say(answer("by socket"));
  });
  EXPECT_EQ(short_call(kQuestion)->value, "by socket");
  agent.join();
  say(answer("by socket"));
  EXPECT_EQ(short_call(kQuestion)->value, "by socket");
  EXPECT_EQ(heard(), kQuestion);
}

// The pure part, with two threads that find their own way of sleeping.
TEST(Lane, EveryQuestionOfAThreadIsAnsweredByTheOther) {
  constexpr int kTimes = 20'000;
  const auto memory = std::make_unique<LaneMemory>();
  LaneOfAgent agent(*memory);
  std::thread answering([&] {
    for (int i = 0; i < kTimes; ++i) {
      while (agent.begin_to_sleep()) {
        while (memory->agent.sleeps.load() != 0) std::this_thread::yield();
      }
      ASSERT_EQ(agent.look(), LaneOfAgent::Found::question);
      const size_t size = agent.take(agent.room());
      if (agent.answer(size)) memory->rank.sleeps = 0;
    }
  });
  LaneOfRank rank(*memory);
  for (int i = 0; i < kTimes; ++i) {
    const std::string question = std::to_string(i) + std::string(static_cast<size_t>(i % 100), 'x');
    if (rank.ask(question)) memory->agent.sleeps = 0;
    for (uint32_t seen = 0; rank.begin_to_sleep(seen);) {
      while (memory->rank.sleeps.load() != 0 && !rank.answered()) std::this_thread::yield();
    }
    rank.end_sleep();
    ASSERT_EQ(rank.answer(), question);
  }
  answering.join();
}

}  // namespace
}  // namespace muster::worker
