// SPDX-License-Identifier: Apache-2.0
// Uses a script instead of ssh, which waits until the test lets it continue.
#include "backends/ssh/session/ssh_host_links.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "backends/ssh/session/stand_in_host.h"

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

class RelayOnAHost : public StandInHostTest {};

TEST_F(RelayOnAHost, AgentIsStopped_ItIsToldAtOnceAndNotAtTheEnd) {
  write("muster",
        "#!/bin/sh\n[ \"$1\" = version ] && exit 0\necho it died >&2\n"
        "echo muster relay: stopped agent 77 >&2\nread word\necho muster relay: stopped agent 0 >&2\nexit 20\n");
  UniqueFd stream;
  SshHostLinks links(
      loop_, [this](const auto&) { return Result<std::shared_ptr<const HostAccess>>(access()); },
      [&](UniqueFd taken, const std::string&) { stream = std::move(taken); },
      [](const std::string& hash) { return hash; }, [](const std::string&) { return std::vector<Holder>(); });
  std::vector<std::optional<int64_t>> told;
  std::optional<HostLinkEnd> end;
  const auto link = links.open({"a1", {}, {"relay"}, "tag"},
                               {[] {}, [&](const HostLinkEnd& how) { end = how; }, [](const HostTrouble&) {},
                                [&](std::optional<int64_t> pid) { told.push_back(pid); }});
  ASSERT_TRUE(run_until(loop_, [&] { return told.size() == 1; }));
  EXPECT_EQ(told[0], 77);
  EXPECT_FALSE(end);
  ASSERT_EQ(send(stream.get(), "go\n", 3, MSG_NOSIGNAL), 3);
  ASSERT_TRUE(run_until(loop_, [&] { return end.has_value(); }));
  EXPECT_EQ(told.size(), 2u);
  EXPECT_EQ(told.back(), std::nullopt);
  EXPECT_EQ(end->code, 20);
  EXPECT_EQ(end->said, "it died");
}

}  // namespace
}  // namespace muster
