// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/secret_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/system/posix/unique_fd.h"

namespace muster {
namespace {

using testing::HasSubstr;

class SecretFile : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/muster-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  SecretValue read(const std::string& path, Duration patience = std::chrono::seconds(10)) {
    return read_secret_file(path, folder.string(), patience);
  }
  std::string text_in(const std::string& path) {
    const SecretValue value = read(path);
    const auto* text = std::get_if<std::string>(&value);
    return text != nullptr ? *text : "none: " + std::get<NoSecret>(value).cause;
  }
  NoSecret refusal(const std::string& path, Duration patience = std::chrono::seconds(10)) {
    const SecretValue value = read(path, patience);
    return std::holds_alternative<NoSecret>(value) ? std::get<NoSecret>(value) : NoSecret{"read", "read"};
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder / name) << text; }

  std::filesystem::path folder;
};

TEST_F(SecretFile, RegularFile_IsRead) {
  write("key", "two\nlines\n");
  EXPECT_EQ(text_in("key"), "two\nlines\n");
  EXPECT_EQ(text_in((folder / "key").string()), "two\nlines\n");
  write("empty", "");
  EXPECT_EQ(text_in("empty"), "");
}

TEST_F(SecretFile, NoFile_IsNamed) {
  EXPECT_EQ(refusal("none").cause, "there is no file `none`");
  EXPECT_EQ(refusal("none").fix, "");
}

TEST_F(SecretFile, Folder_IsRefused) {
  std::filesystem::create_directory(folder / "keys");
  EXPECT_EQ(refusal("keys").cause, "`keys` is a folder");
  EXPECT_THAT(refusal("keys").fix, HasSubstr("name the file in it"));
}

TEST_F(SecretFile, DeviceOrSocket_IsRefused) {
  EXPECT_EQ(refusal("/dev/null").cause, "`/dev/null` is a device, not a file");
  EXPECT_EQ(refusal("/dev/zero").cause, "`/dev/zero` is a device, not a file");
}

TEST_F(SecretFile, LargeFile_IsRefused) {
  write("large", std::string(kLargestSecret, 'x'));
  EXPECT_EQ(text_in("large").size(), kLargestSecret);
  write("large", std::string(kLargestSecret + 1, 'x'));
  EXPECT_EQ(refusal("large").cause, "`large` is larger than 64 KiB");
}

TEST_F(SecretFile, PipeWithoutWriter_IsRefusedAtOnce) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal("pipe").cause, "`pipe` is a pipe that is empty and that no program writes to");
  EXPECT_THAT(refusal("pipe").fix, HasSubstr("cmd:PROGRAM"));
}

TEST_F(SecretFile, PipeWithAWriter_IsReadToItsEnd) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const UniqueFd reader(open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  UniqueFd writer(open((folder / "pipe").c_str(), O_WRONLY | O_CLOEXEC));
  std::thread program([&] {
    for (const char* part : {"first ", "second"}) EXPECT_GT(::write(writer.get(), part, strlen(part)), 0);
    writer = UniqueFd();
  });
  EXPECT_EQ(text_in("pipe"), "first second");
  program.join();
}

TEST_F(SecretFile, PipeOfAShell_IsRead) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  ASSERT_EQ(::write(ends[1], "value", 5), 5);
  close(ends[1]);
  EXPECT_EQ(text_in("/proc/self/fd/" + std::to_string(reader.get())), "value");
}

TEST_F(SecretFile, PipeWhoseWriterDoesNotEnd_IsRefusedInTime) {
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  const UniqueFd both(open((folder / "pipe").c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_EQ(refusal("pipe", std::chrono::seconds(0)).cause, "`pipe` is a pipe whose writer did not end within 0 ms");
}

}  // namespace
}  // namespace muster
