// SPDX-License-Identifier: Apache-2.0
#include "core/system/machine/linux_machine_leases.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

class LeasesTest : public FolderTest {
 protected:
  LinuxMachineLeases leases(uint16_t first = 20000, uint16_t last = 20003) {
    return LinuxMachineLeases(folder_ + "/leases", {first, last});
  }

  // Another process: it calls `take` with its own leases, then writes a byte, and runs until this object is destroyed.
  class Other {
   public:
    template <typename Take>
    explicit Other(Take take) {
      EXPECT_EQ(pipe(ends_), 0);
      pid_ = fork();
      if (pid_ == 0) {
        const auto taken = take();
        [[maybe_unused]] const ssize_t put = write(ends_[1], "x", 1);
        while (true) pause();
      }
      char byte = 0;
      EXPECT_EQ(read(ends_[0], &byte, 1), 1);
    }
    ~Other() {
      kill(pid_, SIGKILL);
      siginfo_t info{};
      waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED);
      close(ends_[0]);
      close(ends_[1]);
    }
    pid_t pid() const { return pid_; }

   private:
    int ends_[2];
    pid_t pid_;
  };
};

UniqueFd listen_on(uint16_t port, bool ipv6) {
  UniqueFd socket(::socket(ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0));
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(port);
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(port);
  v6.sin6_addr = in6addr_loopback;
  const int bound = ipv6 ? bind(socket.get(), reinterpret_cast<sockaddr*>(&v6), sizeof v6)
                         : bind(socket.get(), reinterpret_cast<sockaddr*>(&v4), sizeof v4);
  if (bound != 0 || listen(socket.get(), 1) != 0) return UniqueFd();
  return socket;
}

TEST_F(LeasesTest, EachPortIsLeasedOnceUntilNoneIsLeft) {
  LinuxMachineLeases all = leases();
  std::set<uint16_t> ports;
  std::vector<LeasedPort> held;
  for (int i = 0; i < 4; ++i) {
    auto port = all.lease_port();
    ASSERT_TRUE(port.ok()) << port.status().message();
    ports.insert(port->port);
    held.push_back(std::move(*port));
  }
  EXPECT_EQ(ports, (std::set<uint16_t>{20000, 20001, 20002, 20003}));
  EXPECT_EQ(all.lease_port().status(),
            Status(Code::resource_exhausted, "no free TCP port in 20000-20003 on this machine"));
  held.clear();
  EXPECT_TRUE(all.lease_port().ok());
}

TEST_F(LeasesTest, LeavesNoFiles) {
  {
    LinuxMachineLeases all = leases();
    const auto port = all.lease_port();
    const auto gpu = all.lease_gpus({"GPU-1"});
    EXPECT_FALSE(std::filesystem::is_empty(folder_ + "/leases"));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/leases"));
}

MachineShare share_with(Claim claim, bool whole = true) {
  Random random(7);
  MachineShare share;
  share.job = JobId::make(random).text();
  share.name = "llm";
  share.whole = whole;
  share.claim = std::move(claim);
  return share;
}

TEST_F(LeasesTest, WhatIsToldIsHeardByAllUntilItsTellerDies) {
  LinuxMachineLeases mine = leases();
  {
    const Other other([&] {
      auto theirs = std::make_unique<LinuxMachineLeases>(leases());
      auto told = theirs->tell(share_with({{"GPU-1", "GPU-2"}, {0, 3}, 4096}));
      return std::pair(std::move(theirs), std::move(told));
    });
    const std::vector<MachineShare> told = mine.told();
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].name, "llm");
    EXPECT_EQ(told[0].user, UserNames().name(geteuid()));
    EXPECT_EQ(told[0].pid, other.pid());
    EXPECT_EQ(told[0].claim, (Claim{{"GPU-1", "GPU-2"}, {0, 3}, 4096}));
  }
  EXPECT_TRUE(mine.told().empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder_ + "/leases")) << "the file of the killed process is removed";
}

TEST_F(LeasesTest, AControllerAndItsAgentsTellOfOneJob) {
  LinuxMachineLeases all = leases();
  const auto node = all.tell(share_with({{"GPU-1"}, {}, 100}, false));
  auto whole = all.tell(share_with({{"GPU-1", "GPU-2"}, {}, 300}));
  const auto other_node = all.tell(share_with({{"GPU-2"}, {}, 200}, false));
  ASSERT_EQ(all.told().size(), 1u);
  EXPECT_EQ(all.told()[0].claim, (Claim{{"GPU-1", "GPU-2"}, {}, 300}));
  *whole = nullptr;
  ASSERT_EQ(all.told().size(), 1u);
  EXPECT_EQ(all.told()[0].claim, (Claim{{"GPU-1", "GPU-2"}, {}, 300}));
}

TEST_F(LeasesTest, AClaimIsMadeOnlyWhereNothingSpeaksAgainstIt) {
  LinuxMachineLeases all = leases();
  const auto first =
      all.claim(share_with({{"GPU-1"}, {}, 0}), [](const auto& told) { return told.empty() ? "" : "no"; });
  ASSERT_TRUE(first.ok()) << first.status().message();
  const auto second =
      all.claim(share_with({{"GPU-1"}, {}, 0}), [](const auto& told) { return told.empty() ? "" : "no"; });
  EXPECT_EQ(second.status(), Status(Code::unavailable, "no"));
  std::string nested;
  const auto third = all.claim(share_with({}), [&](const auto&) {
    nested = all.claim(share_with({}), [](const auto&) { return ""; }).status().message();
    return "";
  });
  EXPECT_TRUE(third.ok());
  EXPECT_NE(nested, "") << "only one claim at a time";
}

TEST_F(LeasesTest, WhatIsNoShareIsPassedOver) {
  LinuxMachineLeases all = leases();
  ASSERT_TRUE(all.told().empty());
  const UniqueFd file(open((folder_ + "/leases/share-1-1").c_str(), O_CREAT | O_RDWR, 0644));
  ASSERT_EQ(flock(file.get(), LOCK_EX), 0);
  for (const std::string text : {"", "rubbish", "muster share 1\njob ../..\n", "muster share 1\nname x\n"}) {
    ASSERT_EQ(ftruncate(file.get(), 0), 0);
    ASSERT_EQ(pwrite(file.get(), text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    EXPECT_TRUE(all.told().empty()) << text;
  }
}

TEST_F(LeasesTest, AnotherProcessesPortIsPassedOverUntilItDies) {
  LinuxMachineLeases mine = leases(20000, 20000);
  {
    const Other other([&] {
      auto theirs = std::make_unique<LinuxMachineLeases>(leases(20000, 20000));
      auto port = theirs->lease_port();
      return std::pair(std::move(theirs), std::move(port));
    });
    EXPECT_EQ(mine.lease_port().status().code(), Code::resource_exhausted);
  }
  EXPECT_TRUE(mine.lease_port().ok());
}

// With a file per port, a full range of 8,000 ports would block the agent's heartbeats for half a minute.
TEST_F(LeasesTest, APortThatSomebodyListensOnCostsNoFile) {
  const UniqueFd listening = listen_on(20010, false);
  std::filesystem::create_directories(folder_ + "/leases/port-20010");  // no lock can be taken there
  std::filesystem::permissions(folder_ + "/leases", std::filesystem::perms::sticky_bit | std::filesystem::perms::all);
  LinuxMachineLeases some = leases(20010, 20011);
  for (int i = 0; i < 2; ++i) {
    const auto port = some.lease_port();
    ASSERT_TRUE(port.ok()) << port.status().message();
    EXPECT_EQ(port->port, 20011);
  }
}

TEST_F(LeasesTest, APortThatSomebodyListensOnIsPassedOver) {
  for (const bool ipv6 : {false, true}) {
    LinuxMachineLeases all = leases(27990, 27991);
    const UniqueFd taken = listen_on(27990, ipv6);
    if (!taken.valid()) continue;  // no IPv6 here
    EXPECT_FALSE(is_port_free(27990));
    const auto port = all.lease_port();
    ASSERT_TRUE(port.ok());
    EXPECT_EQ(port->port, 27991);
    EXPECT_FALSE(all.lease_port().ok());
  }
}

TEST_F(LeasesTest, AHeldGpuNamesItsHolderAndNothingIsTaken) {
  LinuxMachineLeases mine = leases();
  const Other other([&] {
    auto theirs = std::make_unique<LinuxMachineLeases>(leases());
    auto gpu = theirs->lease_gpus({"GPU-2"});
    return std::pair(std::move(theirs), std::move(gpu));
  });
  const Status status = mine.lease_gpus({"GPU-1", "GPU-2"}).status();
  EXPECT_EQ(status.code(), Code::failed_precondition);
  EXPECT_TRUE(status.message().starts_with("GPU GPU-2 is held by another muster process, pid " +
                                           std::to_string(other.pid()) + " ("))
      << status.message();
  EXPECT_TRUE(mine.lease_gpus({"GPU-1"}).ok());
}

TEST_F(LeasesTest, GpusAreExclusiveWithinAProcessToo) {
  LinuxMachineLeases all = leases();
  const auto first = all.lease_gpus({"GPU-1", "GPU-2"});
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(all.lease_gpus({"GPU-2"}).ok());
  EXPECT_EQ(all.lease_gpus({"../x"}).status().code(), Code::invalid_argument);
}

TEST_F(LeasesTest, TheFolderIsForAllAndNoLink) {
  umask(077);
  LinuxMachineLeases all = leases();
  ASSERT_TRUE(all.lease_port().ok());
  struct stat info {};
  ASSERT_EQ(stat((folder_ + "/leases").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 01777u);
  ASSERT_EQ(symlink((folder_ + "/leases").c_str(), (folder_ + "/link").c_str()), 0);
  LinuxMachineLeases link(folder_ + "/link", {20000, 20003}, folder_ + "/own");
  ASSERT_TRUE(link.lease_port().ok());
  EXPECT_THAT(link.blind_spot(),
              testing::StartsWith(folder_ + "/link is not a folder; remove it, or ask its owner to"));
}

// Another user can create something under this name that nobody else can use. As root, the test creates a folder of another user.
TEST_F(LeasesTest, FolderCannotBeUsed_LeasesAreInTheUsersOwnFolder) {
  const std::string shared = folder_ + "/leases";
  std::ofstream(shared) << "taken";
  if (geteuid() == 0) {
    std::filesystem::remove(shared);
    ASSERT_EQ(mkdir(shared.c_str(), 0700), 0);
    ASSERT_EQ(chown(shared.c_str(), 12345, 12345), 0);
  }
  LinuxMachineLeases first(shared, {20000, 20003}, folder_ + "/own");
  LinuxMachineLeases second(shared, {20000, 20003}, folder_ + "/own");
  const auto held = first.lease_gpus({"GPU-1"});
  ASSERT_TRUE(held.ok()) << held.status().message();
  EXPECT_FALSE(second.lease_gpus({"GPU-1"}).ok());
  EXPECT_THAT(first.blind_spot(), testing::HasSubstr("jobs of other users may get the same GPUs and TCP ports"));
}

TEST_F(LeasesTest, LeaseFileWasDeleted_ItsHolderDoesNotRemoveTheNextOne) {
  LinuxMachineLeases first = leases();
  LinuxMachineLeases second = leases();
  auto lost = first.lease_gpus({"GPU-1"});
  std::filesystem::remove(folder_ + "/leases/gpu-GPU-1");
  const auto held = second.lease_gpus({"GPU-1"});
  ASSERT_TRUE(held.ok());
  lost = Status(Code::cancelled, "");
  EXPECT_FALSE(first.lease_gpus({"GPU-1"}).ok());
}

TEST_F(LeasesTest, APlantedLinkIsNotFollowed) {
  LinuxMachineLeases all = leases(20000, 20000);
  ASSERT_TRUE(all.lease_gpus({"GPU-1"}).ok());
  std::ofstream(folder_ + "/precious") << "data";
  ASSERT_EQ(symlink((folder_ + "/precious").c_str(), (folder_ + "/leases/gpu-GPU-1").c_str()), 0);
  EXPECT_FALSE(all.lease_gpus({"GPU-1"}).ok());
  EXPECT_EQ(output("precious"), "data");
}

TEST_F(LeasesTest, WhatAKilledProcessLeftIsRemovedByTheNext) {
  {
    const Other other([this] {
      LinuxMachineLeases theirs = leases();
      auto port = theirs.lease_port();
      return std::pair(theirs.lease_gpus({"GPU-1"}), std::move(port));
    });
  }
  const auto left = [this] {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/leases"))
      count +=
          entry.path().filename().string().starts_with("port-") || entry.path().filename().string().starts_with("gpu-");
    return count;
  };
  EXPECT_EQ(left(), 2u);
  LinuxMachineLeases next = leases();
  EXPECT_TRUE(next.told().empty());
  EXPECT_EQ(left(), 0u);
}

TEST_F(LeasesTest, WhoHoldsAGpuIsNamedByItsJob) {
  LinuxMachineLeases theirs = leases();
  const auto held = theirs.lease_gpus({"GPU-1"});
  const auto told = theirs.tell({std::string(26, 'a'), "llm", "", 0, false, {{"GPU-1"}}});
  ASSERT_TRUE(told.ok()) << told.status().message();
  EXPECT_THAT(leases().lease_gpus({"GPU-1"}).status().message(), testing::HasSubstr("'s job llm, pid "));
}

}  // namespace
}  // namespace muster
