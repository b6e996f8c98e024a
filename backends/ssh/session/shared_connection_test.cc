// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/shared_connection.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <iterator>

#include "backends/ssh/session/asked_lately.h"
#include "backends/ssh/session/ssh_words.h"
#include "backends/ssh/session/stand_in_host.h"
#include "core/base/unix_socket.h"

namespace muster {
namespace {

using namespace ssh;

constexpr const char* kPlain = "host a1\nuser mia\nhostname a1\nport 22\ncontrolmaster false\n";

TEST(SharedConnectionTest, AConfigurationIsAConnection) {
  const std::string socket = shared_socket("/tmp/muster-7", "a1", kPlain);
  EXPECT_THAT(socket, testing::StartsWith("/tmp/muster-7/ssh-"));
  EXPECT_EQ(socket, shared_socket("/tmp/muster-7", "a1", kPlain));
  EXPECT_NE(socket, shared_socket("/tmp/muster-7", "mia@a1", kPlain));
  EXPECT_NE(socket, shared_socket("/tmp/muster-7", "a1", std::string(kPlain) + "proxyjump door\n"));
}

TEST(SharedConnectionTest, TheUsersOwnStays) {
  EXPECT_EQ(shared_socket("/tmp/muster-7", "a1", std::string(kPlain) + "controlpath /home/mia/.ssh/c-%C\n"), "");
  EXPECT_NE(shared_socket("/tmp/muster-7", "a1", std::string(kPlain) + "controlpath none\n"), "");
}

TEST(SharedConnectionTest, WhatSshWouldReadOtherwiseIsNoPath) {
  for (const char* folder : {"", "/tmp/a b", "/tmp/%h", "/tmp/${HOME}", "/tmp/\"x"})
    EXPECT_EQ(shared_socket(folder, "a1", kPlain), "") << folder;
  EXPECT_EQ(shared_socket("/" + std::string(80, 'x'), "a1", kPlain), "") << "longer than a socket's name may be";
  EXPECT_EQ(shared_socket("/tmp/muster-7", "a1", ""), "") << "ssh printed nothing";
}

TEST(SharedConnectionTest, WithoutASocketNothingIsShared) {
  for (const std::string& word : ssh_arguments("a1", false, ""))
    EXPECT_THAT(word, testing::Not(testing::HasSubstr("Control")));
  EXPECT_THAT(ssh_arguments("a1", false, "/s"), testing::Contains("ControlPath=/s"));
}

// Sessions that open a shared connection or use it. A file stands for the control socket.
class SharedSessionTest : public StandInHostTest {
 protected:
  std::shared_ptr<const HostAccess> sharing() {
    auto shared = std::make_shared<HostAccess>(*access());
    shared->masters = folder_;
    shared->patience_of_masters = patience_;
    return shared;
  }
  void sshd(const std::string& with_master) {
    stand_in(
        "for word; do case $word in -G) printf 'host a1\\n'; exit;; ControlPath=*) s=${word#*=};; esac; done\n"
        "if [ -e \"$s\" ]; then " +
        with_master + "; fi; : >\"$s\"; echo opened >>'" + folder_ + "/log'");
  }
  size_t opened() const {
    std::ifstream log(folder_ + "/log");
    return static_cast<size_t>(std::count(std::istreambuf_iterator<char>(log), {}, '\n'));
  }
  void visit() {
    end_.reset();
    trouble_.reset();
    HostSession session(
        loop_, sharing(), "a1", false, {"facts"},
        {[this](HostArrival arrival) {
           arrival_ = std::move(arrival);
           (void)send(arrival_.stream.get(), "hello\n", 6, MSG_NOSIGNAL);
         },
         [this](const HelperEnd& end) { end_ = end; }, [this](const SshTrouble& trouble) { trouble_ = trouble; }});
    ASSERT_TRUE(run_until(loop_, [this] { return end_ || trouble_; }));
  }
  Duration patience_ = std::chrono::seconds(10);
  HostArrival arrival_;
  std::optional<HelperEnd> end_;
  std::optional<SshTrouble> trouble_;
};

TEST_F(SharedSessionTest, TheFirstOpensItAndOthersGoThroughIt) {
  sshd("for word; do last=$word; done; exec $last");
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  visit();
  EXPECT_EQ(opened(), 1u);
}

TEST_F(SharedSessionTest, WhoGoesThroughAConnectionThatIsThereDoesNotKnock) {
  const auto access = sharing();
  const std::string socket = folder_ + "/s";
  const UniqueFd door(::socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind_unix(door.get(), socket), 0);
  ASSERT_EQ(listen(door.get(), 1), 0);
  leave_answer({access->masters, access->ssh, "a1", access->environment}, socket);
  bool inside = false;
  HostSession::Handlers handlers;
  handlers.connected = [&] { inside = true; };
  const HostSession session(loop_, access, "a1", false, {"facts"}, handlers);
  EXPECT_FALSE(inside) << "in a later turn";
  EXPECT_TRUE(run_until(loop_, [&] { return inside; }));
}

TEST_F(SharedSessionTest, AConnectionThatHangsIsLeftForANewOne) {
  sshd("for word; do last=$word; done; exec $last");
  visit();
  sshd("exec sleep 1000");
  patience_ = std::chrono::milliseconds(100);
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  EXPECT_EQ(end_->code, 5);
  EXPECT_EQ(opened(), 2u);
}

TEST_F(SharedSessionTest, AConnectionThatDiesWithoutAWordIsTriedAnewOnce) {
  sshd("for word; do last=$word; done; exec $last");
  visit();
  sshd("exit 255");
  visit();
  ASSERT_TRUE(end_) << trouble_->sentence;
  sshd("echo Permission denied >&2; exit 255");
  visit();
  ASSERT_TRUE(trouble_);
  EXPECT_TRUE(trouble_->asks) << "ssh has tried without it and reports the reason";
}

}  // namespace
}  // namespace muster
