// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/shared_session.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <optional>

#include "backends/ssh/session/master_words.h"
#include "core/base/unix_socket.h"
#include "core/system/asio/asio_loop.h"
#include "core/system/asio/run_until.h"

namespace muster {
namespace {

using namespace std::string_literals;
using ssh::MasterWord;

const std::string kHello = "\0\0\0\x08\0\0\0\x01\0\0\0\x04"s;
const std::string kOpened = "\0\0\0\x0c\x80\0\0\x06\0\0\0\x01\0\0\0\0"s;
const std::string kExitedWith7 = "\0\0\0\x0c\x80\0\0\x04\0\0\0\0\0\0\0\x07"s;
const std::string kFailure = "\0\0\0\x0e\x80\0\0\x03\0\0\0\x01\0\0\0\x02no"s;

TEST(MasterWordsTest, SessionRequest_IsAHelloAndASession) {
  const std::string request = ssh::session_request("sh", {{"LANG", "C"}});
  EXPECT_EQ(request.substr(0, kHello.size()), kHello);
  const std::string rest = "\x10\0\0\x02\0\0\0\x01\0\0\0\0"s + std::string(16, '\0') +
                           "\xff\xff\xff\xff\0\0\0\0\0\0\0\x02sh\0\0\0\x06LANG=C"s;
  EXPECT_EQ(request.substr(kHello.size()), "\0\0\0"s + static_cast<char>(rest.size()) + rest);
}

TEST(MasterWordsTest, WordsAreTakenOneByOne) {
  std::string came = kHello + kOpened + kExitedWith7.substr(0, 9);
  EXPECT_EQ(ssh::take_master_word(came)->kind, MasterWord::Kind::other);
  EXPECT_EQ(ssh::take_master_word(came)->kind, MasterWord::Kind::opened);
  EXPECT_FALSE(ssh::take_master_word(came));
  came += kExitedWith7.substr(9);
  EXPECT_EQ(ssh::take_master_word(came)->code, 7);
  came = "\0\0\0\x08\0\0\0\x01\0\0\0\x05"s;
  EXPECT_EQ(ssh::take_master_word(came)->kind, MasterWord::Kind::unknown);
  came = "SSH-2.0-other\r\n";
  EXPECT_EQ(ssh::take_master_word(came)->kind, MasterWord::Kind::unknown);
  came = "\0\0\0\x02\x80\0"s;
  EXPECT_EQ(ssh::take_master_word(came)->kind, MasterWord::Kind::other) << "a message that is too short";
}

// The test plays the ssh process that has the connection.
class SharedSessionWithMasterTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "master-XXXXXX";
    folder_ = mkdtemp(name.data());
    door_ = UniqueFd(socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(bind_unix(door_.get(), path()), 0);
    ASSERT_EQ(listen(door_.get(), 1), 0);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/s"; }

  void begin() {
    session_ = SharedSession::begin(loop_, path(), "sh", {},
                                    {[this] { refused_ = true; }, [this](const HelperEnd& end) { end_ = end; }});
    ASSERT_TRUE(session_);
    stream_ = session_->take_stream();
    master_ = UniqueFd(accept(door_.get(), nullptr, nullptr));
    std::string request(ssh::session_request("sh", {}).size(), ' ');
    ASSERT_EQ(recv(master_.get(), request.data(), request.size(), MSG_WAITALL), static_cast<ssize_t>(request.size()));
    for (UniqueFd& fd : stdio_) fd = borrowed();
  }

  UniqueFd borrowed() const {
    char byte = 1;
    iovec part{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> room{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    EXPECT_EQ(recvmsg(master_.get(), &message, 0), 1);
    int fd = -1;
    if (const cmsghdr* lent = CMSG_FIRSTHDR(&message)) memcpy(&fd, CMSG_DATA(lent), sizeof fd);
    return UniqueFd(fd);
  }

  void say(const std::string& text) const {
    EXPECT_EQ(write(master_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  bool over() {
    return run_until(loop_, [this] { return end_ || refused_; });
  }

  AsioLoop loop_;
  std::string folder_;
  UniqueFd door_;
  UniqueFd master_;
  UniqueFd stream_;
  std::array<UniqueFd, 3> stdio_;
  std::unique_ptr<SharedSession> session_;
  std::optional<HelperEnd> end_;
  bool refused_ = false;
};

TEST_F(SharedSessionWithMasterTest, AProgramsStreamsAndItsEndComeThrough) {
  begin();
  ASSERT_EQ(send(stream_.get(), "in", 2, 0), 2);
  char in[2] = {};
  EXPECT_EQ(read(stdio_[0].get(), in, 2), 2);
  EXPECT_EQ(write(stdio_[1].get(), "out", 3), 3);
  EXPECT_EQ(write(stdio_[2].get(), "oops", 4), 4);
  say(kHello + kOpened + kExitedWith7);
  stdio_ = {};
  master_.reset();
  ASSERT_TRUE(over());
  EXPECT_EQ(end_->code, 7);
  EXPECT_EQ(end_->errors, "oops");
  char out[8] = {};
  EXPECT_EQ(recv(stream_.get(), out, sizeof out, 0), 3);
  EXPECT_EQ(recv(stream_.get(), out, sizeof out, 0), 0);
}

TEST_F(SharedSessionWithMasterTest, AConnectionThatDiesIsAnEndOfSsh) {
  begin();
  say(kHello + kOpened);
  master_.reset();
  ASSERT_TRUE(over());
  EXPECT_EQ(end_->code, 255);
}

TEST_F(SharedSessionWithMasterTest, ARefusalIsTold) {
  begin();
  say(kHello + kFailure);
  ASSERT_TRUE(over());
  EXPECT_TRUE(refused_);
}

TEST_F(SharedSessionWithMasterTest, WhereNobodyListensNothingBegins) {
  door_.reset();
  EXPECT_FALSE(SharedSession::begin(loop_, path(), "sh", {}, {}));
  EXPECT_FALSE(SharedSession::begin(loop_, folder_ + "/none", "sh", {}, {}));
}

TEST_F(SharedSessionWithMasterTest, AnEnvironmentThatIsTooLongForOneMessageIsLeftToSsh) {
  EXPECT_FALSE(SharedSession::begin(loop_, path(), "sh", {{"LONG", std::string(200'000, 'x')}}, {}));
}

}  // namespace
}  // namespace muster
