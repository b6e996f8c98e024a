// SPDX-License-Identifier: Apache-2.0
// Uses a script instead of ssh, which waits until the test lets it continue.
#include "backends/ssh/session/ssh_host_links.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "core/system/asio/run_until.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

class SshHostLinksTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "host-links-XXXXXX";
    folder_ = mkdtemp(name.data());
    // A host's name is the last word but one.
    std::ofstream(folder_ + "/ssh") << "#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done\n: >'" << folder_
                                    << "/began-'$1\n"
                                    << "while [ ! -e '" << folder_ << "/go' ]; do sleep 0.02; done\n"
                                    << "echo Permission denied >&2; exit 255\n";
    chmod((folder_ + "/ssh").c_str(), 0700);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<std::shared_ptr<const HostAccess>> access() {
    if (!reachable_) return Status(Code::not_found, "there is no ssh");
    auto access = std::make_shared<HostAccess>();
    access->ssh = folder_ + "/ssh";
    access->environment = {{"PATH", "/usr/bin:/bin"}};
    access->hash = "ab";
    access->mark = "cd";
    return std::shared_ptr<const HostAccess>(access);
  }
  size_t begun() const {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(folder_))
      count += entry.path().filename().string().starts_with("began-");
    return count;
  }
  void open(size_t number) {
    links_.push_back(
        all_.open({"a" + std::to_string(number), {}, {"relay"}, "tag"},
                  {[] {}, [](const HostLinkEnd&) {}, [this](const HostTrouble& t) { troubles_.push_back(t); }}));
  }

  AsioLoop loop_;
  std::string folder_;
  bool reachable_ = true;
  std::vector<HostTrouble> troubles_;
  SshHostLinks all_{loop_, [this](const auto&) { return access(); }, [](UniqueFd, const std::string&) {},
                    [](const std::string& hash) { return hash; },
                    [](const std::string&) { return std::vector<Holder>(); }};
  std::vector<std::unique_ptr<HostLink>> links_;
};

TEST_F(SshHostLinksTest, OnlyEightKnockAtOnceAndAllGetTheirTurn) {
  for (size_t i = 0; i < 12; ++i) open(i);
  ASSERT_TRUE(run_until(loop_, [this] { return begun() == 8; }));
  EXPECT_TRUE(troubles_.empty());
  std::ofstream(folder_ + "/go") << "";
  ASSERT_TRUE(run_until(loop_, [this] { return troubles_.size() == 12; }));
  EXPECT_EQ(begun(), 12u);
  EXPECT_EQ(troubles_[0].sentence, "it refused the ssh login");
  EXPECT_TRUE(troubles_[0].asks);
}

TEST_F(SshHostLinksTest, OneThatGoesWhileItWaitsOrKnocksMakesRoom) {
  for (size_t i = 0; i < 12; ++i) open(i);
  ASSERT_TRUE(run_until(loop_, [this] { return begun() == 8; }));
  links_.erase(links_.begin() + 10);
  links_.erase(links_.begin());
  ASSERT_TRUE(run_until(loop_, [this] { return begun() == 9; }));
  std::ofstream(folder_ + "/go") << "";
  EXPECT_TRUE(run_until(loop_, [this] { return troubles_.size() == 10; }));
}

TEST_F(SshHostLinksTest, WithoutAnSshItSaysSoInALaterTurn) {
  reachable_ = false;
  open(0);
  EXPECT_TRUE(troubles_.empty());
  ASSERT_TRUE(run_until(loop_, [this] { return troubles_.size() == 1; }));
  EXPECT_EQ(troubles_[0].sentence, "there is no ssh");
}

}  // namespace
}  // namespace muster
