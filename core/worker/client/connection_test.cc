#include "core/worker/client/connection.h"

#include "core/worker/client/scripted_agent.h"

namespace muster::worker {
namespace {

using Agent = ScriptedAgent;
using std::chrono::milliseconds;

TEST_F(Agent, AnswersOfAnyLength) {
  for (const size_t size : {0U, 1U, 4083U, 4084U, 4085U, 4086U, 4087U, 4088U, 4089U, 4090U, 100'000U}) {
    const std::string value(size, 'v');
    say(answer(value));
    const Result<Reply> reply = call();
    ASSERT_TRUE(reply.ok()) << size << ": " << reply.status().message();
    EXPECT_EQ(reply->value, value);
  }
}

TEST_F(Agent, WhoSaysMoreThanOneAnswerIsNotBelieved) {
  say(answer("one") + answer("two"));
  EXPECT_EQ(call().status().code(), Code::data_loss);
}

TEST_F(Agent, WhoHangsUpWithinAnAnswer) {
  say(answer("whole").substr(0, 7));
  hang_up();
  EXPECT_EQ(call().status().code(), Code::unavailable);
}

TEST_F(Agent, WhoStopsWithinTheHeader) {
  say(answer("whole").substr(0, 3));
  EXPECT_EQ(call(milliseconds(1)).status().code(), Code::deadline_exceeded);
}

TEST_F(Agent, WhoStopsWithinAnAnswer) {
  say(answer("whole").substr(0, 7));
  EXPECT_EQ(call(milliseconds(1)).status().code(), Code::deadline_exceeded);
}

TEST_F(Agent, WhoPromisesTooMuch) {
  say(header(3 * kLongestFrame));
  EXPECT_EQ(call().status().code(), Code::data_loss);
}

}  // namespace
}  // namespace muster::worker
