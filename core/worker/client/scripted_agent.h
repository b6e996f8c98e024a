// An agent that says what a test tells it to, and a connection to it. Tests only.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <utility>

#include "core/base/unix_socket.h"
#include "core/worker/client/connection.h"
#include "core/worker/client/wire.h"

namespace muster::worker {

// A connection, and the agent's end of it. What the agent says before it is asked waits in the socket.
class ScriptedAgent : public ::testing::Test {
 protected:
  ScriptedAgent() {
    char name[] = "/tmp/connection_test.XXXXXX";
    folder_ = mkdtemp(name);
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind_unix(listening_, path()), 0);
    EXPECT_EQ(listen(listening_, 1), 0);
    connection_.emplace(std::move(*Connection::open(path())));
    agent_ = accept(listening_, nullptr, nullptr);
  }
  ~ScriptedAgent() override {
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

inline std::string header(size_t length) {
  std::string text;
  for (size_t i = 0; i < 4; ++i) text += static_cast<char>(length >> (8 * i) & 0xff);
  return text;
}

// A store's answer of this value, behind its length.
inline std::string answer(const std::string& value) {
  const std::string message = WireWriter().message(1, [&](WireWriter& in) { in.bytes(2, value); }).text();
  return header(message.size()) + message;
}

}  // namespace muster::worker
