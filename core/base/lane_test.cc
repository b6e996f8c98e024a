#include "core/base/lane.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace muster {
namespace {

using Found = LaneOfAgent::Found;

class Lane : public ::testing::Test {
 protected:
  std::string taken() {
    char room[kLaneRoom];
    return std::string(room, agent_.take(room));
  }
  bool answer(const std::string& text) {
    text.copy(agent_.room(), kLaneRoom);
    return agent_.answer(text.size());
  }

  const std::unique_ptr<LaneMemory> memory_ = std::make_unique<LaneMemory>();
  LaneOfAgent agent_{*memory_};
  LaneOfRank rank_{*memory_};
};

TEST_F(Lane, AQuestionIsAnswered) {
  EXPECT_EQ(agent_.look(), Found::nothing);
  rank_.ask("why");
  EXPECT_EQ(agent_.look(), Found::question);
  EXPECT_EQ(taken(), "why");
  EXPECT_EQ(agent_.look(), Found::nothing);
  EXPECT_FALSE(rank_.answered());
  answer("because");
  ASSERT_TRUE(rank_.answered());
  EXPECT_EQ(rank_.answer(), "because");
}

TEST_F(Lane, OneAfterTheOtherOfAnyLength) {
  for (const size_t size : {size_t{0}, size_t{1}, kLaneRoom - 1, kLaneRoom}) {
    const std::string text(size, 'x');
    rank_.ask(text);
    ASSERT_EQ(agent_.look(), Found::question);
    EXPECT_EQ(taken(), text);
    answer(text);
    EXPECT_EQ(rank_.answer(), text);
  }
}

TEST_F(Lane, CountsGoOnFromZero) {
  memory_->rank.count = UINT32_MAX;
  memory_->agent.count = UINT32_MAX;
  rank_.ask("q");
  EXPECT_FALSE(rank_.answered());
  memory_->agent.count = 0;
  EXPECT_TRUE(rank_.answered());
}

TEST_F(Lane, AnAnswerMayComeByTheSocket) {
  rank_.ask("q");
  static_cast<void>(taken());
  agent_.answer_on_socket();
  EXPECT_TRUE(rank_.answered());
  EXPECT_FALSE(rank_.answer());
}

TEST_F(Lane, WhoSleepsIsToBeWoken) {
  EXPECT_TRUE(rank_.ask("an agent sleeps at first"));
  EXPECT_FALSE(agent_.begin_to_sleep()) << "there is a question";
  static_cast<void>(taken());
  uint32_t seen = 7;
  EXPECT_TRUE(rank_.begin_to_sleep(seen));
  EXPECT_EQ(seen, 0U);
  EXPECT_TRUE(answer("a"));
  EXPECT_FALSE(rank_.begin_to_sleep(seen)) << "there is an answer";
  rank_.end_sleep();
  EXPECT_FALSE(rank_.ask("an agent that looks"));
  static_cast<void>(taken());
  EXPECT_FALSE(answer("a"));
  EXPECT_TRUE(agent_.begin_to_sleep());
  EXPECT_TRUE(rank_.ask("an agent that sleeps again"));
}

TEST_F(Lane, NonsenseIsFoundOut) {
  memory_->rank.count = 2;
  EXPECT_EQ(agent_.look(), Found::nonsense) << "it skipped one";
  memory_->rank.count = 1;
  memory_->rank.size = kLaneRoom + 1;
  EXPECT_EQ(agent_.look(), Found::nonsense) << "too long";
  memory_->rank.size = kLaneRoom;
  EXPECT_EQ(agent_.look(), Found::question);
  static_cast<void>(taken());
  memory_->rank.count = 2;
  EXPECT_EQ(agent_.look(), Found::nonsense) << "the one before is not answered";
  memory_->rank.count = 0;
  EXPECT_EQ(agent_.look(), Found::nonsense) << "it counts backwards";
}

TEST_F(Lane, AQuestionThatGrowsWhileItIsTakenIsCutOff) {
  rank_.ask("q");
  ASSERT_EQ(agent_.look(), Found::question);
  memory_->rank.size = UINT32_MAX;
  EXPECT_EQ(taken().size(), kLaneRoom);
}

}  // namespace
}  // namespace muster
