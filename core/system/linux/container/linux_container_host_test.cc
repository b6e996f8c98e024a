// SPDX-License-Identifier: Apache-2.0
// Programs, and processes that keep no container open. Real containers: test/image.
#include "core/system/linux/container/linux_container_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/system/asio/asio_loop.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ContainersOfLinux : public testing::Test {
 protected:
  ContainersOfLinux() {
    char name[] = "/tmp/muster-containers-XXXXXX";
    folder = mkdtemp(name);
  }
  ~ContainersOfLinux() override { std::filesystem::remove_all(folder); }

  AsioLoop loop;
  std::string folder;
};

TEST_F(ContainersOfLinux, LastLineWithoutNewline_IsHeardBeforeTheExitCode) {
  LinuxContainerHost host(loop, folder, {});
  std::vector<std::string> said;
  int code = -1;
  ContainerRunEvents events;
  events.said = [&](const std::string& line) { said.push_back(line); };
  events.ended = [&](int exit) {
    code = exit;
    loop.stop();
  };
  const auto run = host.run({"/bin/sh", "-c", "printf 'one\\ntwo' >&2; exit 7"}, {{"PATH", "/usr/bin:/bin"}}, events);
  ASSERT_TRUE(run.ok()) << run.status().message();
  loop.at(loop.now() + std::chrono::seconds(60), [&] { loop.stop(); });
  loop.run();
  EXPECT_THAT(said, ElementsAre("one", "two"));
  EXPECT_EQ(code, 7);
}

TEST_F(ContainersOfLinux, ProcessThatKeepsNoContainer_IsRefused) {
  LinuxContainerHost host(loop, folder, {});
  const auto opened = host.open(getpid(), "muster-j1-0-7");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.status().code(), Code::failed_precondition);
  EXPECT_THAT(opened.status().message(), HasSubstr("on another machine"));
}

TEST_F(ContainersOfLinux, RememberedRemoval_HoldsNoOtherVariables) {
  LinuxContainerHost host(loop, folder + "/images", {});
  ASSERT_TRUE(host.remember("c", {"/bin/rm", "-rf", folder + "/left"},
                            {{"PATH", "/bin"}, {"XDG_RUNTIME_DIR", "/run/me"}, {"TOKEN", "s3cret"}})
                  .ok());
  std::stringstream text;
  text << std::ifstream(folder + "/images/c").rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("XDG_RUNTIME_DIR=/run/me"));
  EXPECT_THAT(text.str(), Not(HasSubstr("s3cret")));
  std::filesystem::create_directory(folder + "/left");
  remove_left_containers(folder + "/images");
  EXPECT_FALSE(std::filesystem::exists(folder + "/left"));
  EXPECT_FALSE(std::filesystem::exists(folder + "/images"));
}

}  // namespace
}  // namespace muster
