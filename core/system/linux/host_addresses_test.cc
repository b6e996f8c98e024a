// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/host_addresses.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Addresses = std::vector<std::string>;

TEST(HostAddresses, ANumericAddressIsItself) {
  EXPECT_EQ(*addresses_of("10.1.2.3"), Addresses{"10.1.2.3"});
  EXPECT_EQ(*addresses_of("::1"), Addresses{"::1"});
}

TEST(HostAddresses, IPv4GoesFirst) {
  const auto found = addresses_of("localhost");
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->front(), "127.0.0.1");
}

TEST(HostAddresses, ANameThatCannotBeIsNamed) {
  const auto found = addresses_of("no such host");
  ASSERT_FALSE(found.ok());
  EXPECT_TRUE(found.status().message().starts_with("no address is known for `no such host`: "))
      << found.status().message();
}

TEST(HostAddresses, LoopbackIsKnown) {
  for (const char* own : {"127.0.0.1", "127.0.1.1", "::1"}) EXPECT_TRUE(is_loopback_address(own)) << own;
  for (const char* other : {"10.0.0.1", "128.0.0.1", "fe80::1", "localhost", ""})
    EXPECT_FALSE(is_loopback_address(other)) << other;
}

}  // namespace
}  // namespace muster
