// SPDX-License-Identifier: Apache-2.0
#include "core/worker/client/connection.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "core/base/unix_socket.h"
#include "core/worker/client/wire.h"

namespace muster::worker {
namespace {

using std::chrono::milliseconds;

// A connection and the agent's end of it. Bytes that the agent's end writes before a call wait in the socket.
class Agent : public ::testing::Test {
 protected:
  Agent() {
    char name[] = "/tmp/connection_test.XXXXXX";
    folder_ = mkdtemp(name);
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind_unix(listening_, path()), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    connection_.emplace(std::move(*Connection::open(path())));
    agent_ = accept(listening_, nullptr, nullptr);
  }
  ~Agent() override {
    hang_up();
    close(listening_);
    unlink(path().c_str());
    rmdir(folder_.c_str());
  }

  void say(const std::string& bytes) {
    ASSERT_EQ(send(agent_, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void hang_up() { close(std::exchange(agent_, -1)); }
  Result<Reply> call(Duration patience = std::chrono::seconds(60)) { return connection_->call("question", patience); }

 private:
  std::string path() const { return folder_ + "/agent"; }

  std::string folder_;
  int listening_ = -1;
  int agent_ = -1;
  std::optional<Connection> connection_;
};

std::string header(size_t length) {
  std::string text;
  for (size_t i = 0; i < 4; ++i) text += static_cast<char>(length >> (8 * i) & 0xff);
  return text;
}

// A store answer with this value, preceded by its length.
std::string answer(const std::string& value) {
  const std::string message = WireWriter().message(1, [&](WireWriter& in) { in.bytes(2, value); }).text();
  return header(message.size()) + message;
}

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
