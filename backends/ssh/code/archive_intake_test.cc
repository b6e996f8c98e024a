// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/code/archive_intake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "backends/ssh/code/fetch.h"
#include "core/system/asio/asio_loop.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;

class ArchiveIntakeTest : public testing::Test {
 protected:
  ArchiveIntakeTest() {
    char name[] = "/tmp/muster-intake-XXXXXX";
    folder_ = mkdtemp(name);
    fs::create_directories(folder_ / "made");
    fs::create_directories(folder_ / "got");
    caller_.environment["PATH"] = "/usr/bin:/bin";
  }
  ~ArchiveIntakeTest() override { fs::remove_all(folder_); }

  // An archive as a host sends it.
  std::string archive_of(size_t bytes) const {
    std::ofstream(folder_ / "made/zeros") << std::string(bytes, '\0');
    const std::string tar = "tar -czf " + (folder_ / "archive").string() + " -C " + (folder_ / "made").string() + " .";
    EXPECT_EQ(std::system(tar.c_str()), 0);
    std::ifstream file(folder_ / "archive", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  ArchiveIntake::Arrived take(const std::string& archive, uint64_t most) const {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    std::thread host([archive, fd = ends[0]] {
      for (size_t at = 0; at < archive.size();) {
        const ssize_t sent = send(fd, archive.data() + at, archive.size() - at, MSG_NOSIGNAL);
        if (sent <= 0) break;
        at += static_cast<size_t>(sent);
      }
      close(fd);
    });
    AsioLoop loop;
    std::optional<ArchiveIntake::Arrived> arrived;
    ArchiveIntake intake(loop, caller_, folder_ / "got", most, [&](const auto& what) { arrived = what; });
    intake.begin(UniqueFd(ends[1]));
    while (!arrived && loop.run_one()) continue;
    host.join();
    return *arrived;
  }

  fs::path folder_;
  CallerContext caller_;
};

TEST_F(ArchiveIntakeTest, WhatComesIsUnpacked) {
  const ArchiveIntake::Arrived arrived = take(archive_of(5'000'000), 6'000'000);
  EXPECT_TRUE(arrived.status.ok()) << arrived.status.message();
  EXPECT_EQ(fs::file_size(folder_ / "got/zeros"), 5'000'000u);
  EXPECT_GT(arrived.bytes, 5'000'000u);
}

// The limit counts unpacked bytes.
TEST_F(ArchiveIntakeTest, MoreThanTheMostIsNot) {
  const std::string small = archive_of(50'000'000);
  EXPECT_LT(small.size(), 200'000u);
  EXPECT_EQ(take(small, 1'000'000).status.code(), Code::resource_exhausted);
}

TEST_F(ArchiveIntakeTest, HalfOfAnArchiveIsNone) {
  const std::string archive = archive_of(5'000'000);
  EXPECT_EQ(take(archive.substr(0, archive.size() / 2), UINT64_MAX).status.code(), Code::data_loss);
  EXPECT_EQ(take("", UINT64_MAX).status.code(), Code::data_loss);
  EXPECT_EQ(take("not an archive", UINT64_MAX).status.code(), Code::data_loss);
}

TEST_F(ArchiveIntakeTest, AFolderThatCannotBeWrittenIsSaid) {
  const std::string archive = archive_of(5'000'000);
  fs::remove_all(folder_ / "got");
  EXPECT_THAT(take(archive, UINT64_MAX).status.message(), testing::HasSubstr("tar: "));
}

TEST_F(ArchiveIntakeTest, RoomIsLessThanWhatIsFree) {
  EXPECT_LT(room_for_arrivals(folder_), fs::space(folder_).available);
  EXPECT_EQ(room_for_arrivals(folder_ / "nowhere"), UINT64_MAX);
}

TEST(Unread, AreTheFilesThatTarCouldNotOpen) {
  const std::string said =
      "tar: ./out/key: Cannot open: Permission denied\n/bin/tar: ./b: Cannot stat: No such file or directory\n"
      "tar: ./log: file changed as we read it\ntar: Exiting with failure status due to previous errors\n";
  EXPECT_THAT(unread_of(said),
              ElementsAre("out/key: Cannot open: Permission denied", "b: Cannot stat: No such file or directory"));
}

}  // namespace
}  // namespace muster
