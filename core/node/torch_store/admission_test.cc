// SPDX-License-Identifier: Apache-2.0
#include "core/node/torch_store/admission.h"

#include <gtest/gtest.h>

namespace muster::tcpstore {
namespace {

constexpr uid_t kUs = 1000, kOther = 1001;
using Kind = Owner::Kind;

Address address(const std::string& text) { return *address_of(text); }

TEST(Address, AMappedAddressIsTheIpv4One) {
  EXPECT_EQ(address("::ffff:10.1.2.3"), address("10.1.2.3"));
  EXPECT_NE(address("::1"), address("127.0.0.1"));
  EXPECT_EQ(address("FE80::1"), address("fe80:0::1%lo"));
  for (const char* wrong : {"", "localhost", "10.1.2", "10.1.2.3.4", "::g", "0x7f.1"})
    EXPECT_FALSE(address_of(wrong)) << wrong;
}

TEST(Address, LoopbackIsAWholeNetworkOfIpv4) {
  for (const char* loopback : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"})
    EXPECT_TRUE(is_loopback(address(loopback))) << loopback;
  for (const char* other : {"10.0.0.1", "::", "::127.0.0.1", "fe80::1"})
    EXPECT_FALSE(is_loopback(address(other))) << other;
}

TEST(Admission, LoopbackIsForProcessesOfOurUserAndOfRoot) {
  const Admission admission({"127.0.0.1", "::1"});
  for (const char* text : {"127.0.0.1", "::1", "127.0.0.2"}) {
    EXPECT_TRUE(admission.judge(address(text), {Kind::process, kUs}, kUs));
    EXPECT_TRUE(admission.judge(address(text), {Kind::process, 0}, kUs));
    EXPECT_FALSE(admission.judge(address(text), {Kind::process, kOther}, kUs));
    for (const Kind kind : {Kind::gone, Kind::elsewhere, Kind::unknown})
      EXPECT_FALSE(admission.judge(address(text), {kind}, kUs));
  }
}

TEST(Admission, OthersMustBeNamed) {
  const Admission admission({"192.0.2.7", "2001:db8::7", "not an address"});
  for (const char* text : {"192.0.2.7", "::ffff:192.0.2.7", "2001:db8::7"}) {
    EXPECT_TRUE(admission.judge(address(text), {Kind::elsewhere}, kUs));
    EXPECT_TRUE(admission.judge(address(text), {Kind::unknown}, kUs));
    EXPECT_FALSE(admission.judge(address(text), {Kind::process, kOther}, kUs))
        << "an admitted address, but a process of another user";
    EXPECT_FALSE(admission.judge(address(text), {Kind::gone}, kUs));
  }
  EXPECT_FALSE(admission.judge(address("192.0.2.8"), {Kind::elsewhere}, kUs));
  EXPECT_FALSE(admission.judge(address("192.0.2.8"), {Kind::process, kUs}, kUs));
}

TEST(Admission, WhoIsRefusedIsTold) {
  EXPECT_EQ(Admission::why(address("192.0.2.8"), {Kind::elsewhere}).words,
            "refused a connection from 192.0.2.8, which is not an address of the job's nodes");
  EXPECT_EQ(Admission::why(address("2001:db8::7"), {Kind::unknown}).words,
            "refused a connection from 2001:db8::7: the kernel does not report which user owns it");
  EXPECT_EQ(Admission::why(address("127.0.0.1"), {Kind::process, kOther}).words,
            "refused a connection from another user of this machine (user ID 1001)");
  EXPECT_EQ(Admission::why(address("127.0.0.1"), {Kind::gone}).words, "");
}

TEST(Admission, WhoComesFromAnAddressOfThisMachineMustBeFound) {
  // Any socket of this machine can be bound to 0.0.0.0, so it counts as an address of this machine.
  const Admission admission({"0.0.0.0"});
  EXPECT_FALSE(admission.judge(address("0.0.0.0"), {Kind::elsewhere}, kUs));
  EXPECT_FALSE(admission.judge(address("0.0.0.0"), {Kind::unknown}, kUs));
  EXPECT_TRUE(admission.judge(address("0.0.0.0"), {Kind::process, kUs}, kUs));
}

}  // namespace
}  // namespace muster::tcpstore
