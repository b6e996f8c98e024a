// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/attempt_ports.h"

#include <gtest/gtest.h>

#include <set>

namespace muster {
namespace {

// Leases the free ports from 20001 to `last`, the lowest first.
class CountedLeases final : public MachineLeases {
 public:
  Result<LeasedPort> lease_port() override {
    for (uint16_t port = 20001; port <= last; ++port) {
      if (held.insert(port).second) return LeasedPort{port, std::make_unique<Lease>(held, port)};
    }
    return Status(Code::resource_exhausted, "no free TCP port");
  }
  Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>&) override { return none(); }
  std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>&) override { return nullptr; }
  bool are_wanted(const std::vector<std::string>&) override { return false; }
  Result<std::unique_ptr<MachineLease>> claim(const MachineShare&, const Refusal&) override { return none(); }
  Result<std::unique_ptr<MachineLease>> tell(const MachineShare&) override { return none(); }
  std::vector<MachineShare> told() override { return {}; }
  std::string blind_spot() const override { return ""; }

  std::set<uint16_t> held;
  uint16_t last = 20100;

 private:
  class Lease final : public MachineLease {
   public:
    Lease(std::set<uint16_t>& held, uint16_t port) : held_(held), port_(port) {}
    ~Lease() override { held_.erase(port_); }

   private:
    std::set<uint16_t>& held_;
    const uint16_t port_;
  };
  static Status none() { return {Code::unimplemented, "not leased here"}; }
};

class AttemptPortsTest : public testing::Test {
 protected:
  CountedLeases leases_;
  std::set<uint16_t> strangers_;  // ports of programs that lease none
  AttemptPorts ports_{leases_, [this](const NodePorts& next) { return strangers_.count(next.meeting) == 0; }};
};

TEST_F(AttemptPortsTest, Lease_NothingIsNeeded_OnePortToMeetAt) {
  ASSERT_TRUE(ports_.lease().ok());
  EXPECT_EQ(ports_.next(), (NodePorts{20001, {}}));
}

TEST_F(AttemptPortsTest, Lease_NeedsBecameKnown_TheFirstPortStays) {
  ASSERT_TRUE(ports_.lease().ok());
  ports_.need({{"rank-0", 2}, {"tracker", 1}});
  ASSERT_TRUE(ports_.lease().ok());
  EXPECT_EQ(ports_.next(), (NodePorts{20001, {{"rank-0", {20002, 20003}}, {"tracker", {20004}}}}));
}

TEST_F(AttemptPortsTest, Lease_AProgramHasThePort_OthersAreTaken) {
  strangers_ = {20001, 20002};
  ASSERT_TRUE(ports_.lease().ok());
  EXPECT_EQ(ports_.next().meeting, 20003);
  EXPECT_EQ(leases_.held, std::set<uint16_t>{20003});
}

TEST_F(AttemptPortsTest, Lease_TooFewAreFree_NoneIsHeld) {
  leases_.last = 20002;
  ports_.need({{"rank-0", 2}});
  EXPECT_EQ(ports_.lease().code(), Code::resource_exhausted);
  EXPECT_EQ(ports_.next(), NodePorts());
  EXPECT_TRUE(leases_.held.empty());
}

TEST_F(AttemptPortsTest, Begin_AnAttempt_KeepsItsPortsUntilTheNextBegins) {
  ASSERT_TRUE(ports_.lease().ok());
  ports_.begin();
  EXPECT_EQ(ports_.current().meeting, 20001);
  EXPECT_EQ(ports_.next(), NodePorts());
  ASSERT_TRUE(ports_.lease().ok());
  EXPECT_EQ(ports_.next().meeting, 20002) << "the first is still held";
  ports_.begin();
  EXPECT_EQ(leases_.held, std::set<uint16_t>{20002});
}

}  // namespace
}  // namespace muster
