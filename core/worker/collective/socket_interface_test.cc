// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/socket_interface.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>

#include "core/worker/collective/communicator.h"
#include "core/worker/collective/testing/hall.h"

namespace muster::worker {
namespace {

// Restores the environment after each test.
class SocketInterface : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"NCCL_SOCKET_IFNAME", "NCCL_COMM_ID"}) change(name, nullptr);
    change("NCCL_CONF_FILE", "/nowhere");
  }
  void TearDown() override {
    for (const auto& [name, value] : before_) put(name, value ? value->c_str() : nullptr);
  }
  void change(const std::string& name, const char* value) {
    const char* now = std::getenv(name.c_str());
    before_.emplace(name, now == nullptr ? std::nullopt : std::optional<std::string>(now));
    put(name, value);
  }

 private:
  static void put(const std::string& name, const char* value) {
    value == nullptr ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value, 1);
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST_F(SocketInterface, IsThatOfTheAddress) {
  EXPECT_EQ(interface_of("127.0.0.1"), "lo");
  EXPECT_EQ(interface_of("203.0.113.77"), "");
  EXPECT_EQ(interface_of(""), "");
  EXPECT_EQ(interface_of("localhost"), "");
  if (std::ifstream("/proc/net/if_inet6").peek() != std::ifstream::traits_type::eof()) {
    EXPECT_EQ(interface_of("0:0::1"), interface_of("::1"));
  }
  EXPECT_EQ(socket_interface_for("127.0.0.1"), "=lo");
  EXPECT_EQ(socket_interface_for("203.0.113.77"), "");
}

TEST_F(SocketInterface, IsLeftToTheUserWhoChose) {
  change("NCCL_SOCKET_IFNAME", "eth9");
  EXPECT_EQ(socket_interface_for("127.0.0.1"), "");
  change("NCCL_SOCKET_IFNAME", nullptr);
  change("NCCL_COMM_ID", "10.0.0.1:9999");
  EXPECT_EQ(socket_interface_for("127.0.0.1"), "");
  change("NCCL_COMM_ID", nullptr);
  const std::string file = ::testing::TempDir() + "muster-nccl.conf";
  std::ofstream(file) << "NCCL_DEBUG=WARN\nNCCL_SOCKET_IFNAME=ib0\n";
  change("NCCL_CONF_FILE", file.c_str());
  EXPECT_EQ(socket_interface_for("127.0.0.1"), "");
  std::ofstream(file) << "NCCL_DEBUG=WARN\n";
  EXPECT_EQ(socket_interface_for("127.0.0.1"), "=lo");
}

// Runs in a separate process, because only the first call has an effect.
TEST_F(SocketInterface, IsChosenOnceByTheFirstCommunicatorOfNccl) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  change("MUSTER_NCCL_LIBRARY", MUSTER_STAND_IN);
  change("MUSTER_CUDA_LIBRARY", MUSTER_STAND_IN);
  const auto open_and_say = [] {
    testing::Hall hall(2);
    testing::each_rank(hall, [](Meeting& meeting) { static_cast<void>(Communicator::open(meeting, {})); });
    choose_socket_interface("203.0.113.77");
    const char* chosen = std::getenv("NCCL_SOCKET_IFNAME");
    std::_Exit(chosen != nullptr && std::string(chosen) == "=lo" ? 0 : 1);
  };
  EXPECT_EXIT(open_and_say(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace muster::worker
