// SPDX-License-Identifier: Apache-2.0
#include "core/system/linux/examine/elf_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace muster {
namespace {

TEST(ElfNeeds, Program_ItsLibraries_AreRead) {
  const auto needs = elf_needs("/proc/self/exe");
  ASSERT_TRUE(needs);
  EXPECT_THAT(needs->libraries, testing::Contains(testing::StartsWith("libc.so")));
}

TEST(ElfNeeds, OtherFiles_AreNoElfFiles) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/script") << "#!/bin/sh\n";
  std::ofstream(folder + "/cut") << "\x7f"
                                    "ELF\x02\x01\x01";
  EXPECT_FALSE(elf_needs(folder + "/script"));
  EXPECT_FALSE(elf_needs(folder + "/none"));
  EXPECT_FALSE(elf_needs(folder));
  EXPECT_EQ(elf_needs(folder + "/cut").value_or(ElfNeeds()), ElfNeeds());
}

}  // namespace
}  // namespace muster
