// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/loopback_name.h"

#include <gtest/gtest.h>

#include <sstream>

namespace muster {
namespace {

bool named(const std::string& hosts) {
  std::istringstream file(hosts);
  return names_ipv6_loopback(file);
}

TEST(LoopbackName, WhereTheHostsFileHasBothFamilies) {
  EXPECT_TRUE(named("127.0.0.1\tlocalhost\n::1\tip6-localhost localhost # Debian\n"));
  EXPECT_FALSE(named("127.0.0.1 localhost\n"));
  EXPECT_FALSE(named("127.0.0.1 localhost\n::1 ip6-localhost ip6-loopback\n"));
  EXPECT_FALSE(named("127.0.0.1 localhost\n#::1 localhost\n::1 # localhost\n"));
  EXPECT_FALSE(named(""));
}

}  // namespace
}  // namespace muster
