// SPDX-License-Identifier: Apache-2.0
#include "core/base/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace muster {
namespace {

class UnixSocket : public testing::Test {
 public:
  UnixSocket() {
    std::string name = testing::TempDir() + "unix-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~UnixSocket() override {
    for (const int fd : {here_, there_}) close(fd);
    unlink((folder_ + "/s").c_str());
    rmdir(folder_.c_str());
  }

 protected:
  std::string folder_;
  const int here_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int there_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

TEST_F(UnixSocket, WhoConnectsReachesWhoIsBound) {
  ASSERT_EQ(bind_unix(here_, folder_ + "/s"), 0);
  ASSERT_EQ(listen(here_, 1), 0);
  EXPECT_EQ(connect_unix(there_, folder_ + "/s"), 0);
}

TEST_F(UnixSocket, APathTooLongIsRefusedNotCut) {
  const std::string path = folder_ + "/" + std::string(108, 'x');
  EXPECT_EQ(bind_unix(here_, path), -1);
  EXPECT_EQ(errno, ENAMETOOLONG);
  EXPECT_EQ(access(path.substr(0, 107).c_str(), F_OK), -1);
}

TEST_F(UnixSocket, AnEmptyPathIsNoAbstractAddress) {
  EXPECT_EQ(bind_unix(here_, ""), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(connect_unix(here_, folder_ + "/s"), -1);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(UnixSocket, Listen_AnyUmask_IsForTheOwnerOnly) {
  const std::string path = folder_ + "/s";
  for (const mode_t mask : {0, 0022, 0077}) {
    const mode_t before = umask(mask);
    const int listener = listen_unix(path, 1);
    umask(before);
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u) << "umask " << mask;
    EXPECT_TRUE(has_listener(path));
    close(listener);
  }
}

TEST_F(UnixSocket, Listen_PathIsTaken_ReplacesIt) {
  const std::string path = folder_ + "/s";
  const int first = listen_unix(path, 1);
  const FileMark mark = mark_of(path);
  const int second = listen_unix(path, 1);
  EXPECT_NE(mark_of(path), mark);
  close(first);
  EXPECT_TRUE(has_listener(path));
  EXPECT_EQ(access(unbound_name(path).c_str(), F_OK), -1);
  close(second);
  EXPECT_FALSE(has_listener(path));
}

TEST_F(UnixSocket, HasListener_QueueIsFull_IsTrue) {
  const std::string path = folder_ + "/s";
  const int listener = listen_unix(path, 0);
  ASSERT_EQ(connect_unix(here_, path), 0);
  EXPECT_TRUE(has_listener(path));
  close(listener);
}

TEST_F(UnixSocket, HasListener_NoSocketThere_IsFalse) {
  EXPECT_FALSE(has_listener(folder_ + "/s"));
  EXPECT_EQ(mark_of(folder_ + "/s"), FileMark());
}

}  // namespace
}  // namespace muster
