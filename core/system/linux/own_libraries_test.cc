// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/own_libraries.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace muster::ssh {
namespace {

TEST(OwnLibrariesTest, TheLoaderAndTheCLibraryAreThereAndAllAreFiles) {
  const std::vector<OwnLibrary> libraries = own_libraries();
  ASSERT_GE(libraries.size(), 2u);
  EXPECT_EQ(libraries[0].name, kLoader);
  EXPECT_TRUE(
      std::any_of(libraries.begin(), libraries.end(), [](const OwnLibrary& each) { return each.name == "libc.so.6"; }));
  for (const OwnLibrary& each : libraries) EXPECT_EQ(access(each.path.c_str(), R_OK), 0) << each.path;
}

}  // namespace
}  // namespace muster::ssh
