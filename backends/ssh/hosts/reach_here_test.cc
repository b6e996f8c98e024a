// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/hosts/reach_here.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

namespace muster {
namespace {

// Runs reach_here() in a thread, over a socket instead of ssh.
class Asked {
 public:
  Asked() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0);
    thread_ = std::thread([this] { code = reach_here(ends_[1], ends_[1]); });
  }
  ~Asked() { end(); }
  void end() {
    if (!thread_.joinable()) return;
    shutdown(ends_[0], SHUT_WR);
    thread_.join();
    close(ends_[0]);
    close(ends_[1]);
  }
  void say(const std::string& text) { EXPECT_EQ(write(ends_[0], text.data(), text.size()), ssize_t(text.size())); }
  std::string line() {
    std::string text;
    for (char c = 0; read(ends_[0], &c, 1) == 1 && c != '\n';) text += c;
    return text;
  }
  int code = -1;

 private:
  std::array<int, 2> ends_{};
  std::thread thread_;
};

TEST(ReachHere, TriesItsPeersWhileItListens) {
  Asked one;
  Asked two;
  one.say("at 127.0.0.1\n");
  two.say("at 127.0.0.1\n");
  const std::string first = one.line();
  const std::string second = two.line();
  ASSERT_TRUE(first.starts_with("port ")) << first;
  ASSERT_TRUE(second.starts_with("port ")) << second;
  EXPECT_NE(first, second);
  one.say("peer 127.0.0.1 " + second.substr(5) + "\npeer nowhere 1\ngo\n");
  EXPECT_EQ(one.line(), "ok");
  EXPECT_EQ(one.line(), "`nowhere` is not a numeric address");
  two.end();
  one.end();
  EXPECT_EQ(one.code, 0);
}

TEST(ReachHere, SaysWhyItCannotListen) {
  Asked one;
  one.say("at 192.0.2.77\n");
  EXPECT_EQ(one.line(), "trouble Cannot assign requested address");
}

TEST(ReachHere, ARefusalIsOne) {
  Asked one;
  Asked gone;
  one.say("at 127.0.0.1\n");
  gone.say("at 127.0.0.1\n");
  one.line();
  const std::string port = gone.line().substr(5);
  gone.say("go\n");
  gone.end();
  one.say("peer 127.0.0.1 " + port + "\ngo\n");
  EXPECT_EQ(one.line(), "Connection refused");
}

}  // namespace
}  // namespace muster
