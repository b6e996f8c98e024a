// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/write_failure.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace muster {
namespace {

TEST(WriteFailure, FullDisk_FolderMissing_NamesTheSpaceOfItsDisk) {
  const Status full = write_failure(ENOSPC, "/tmp/no/such/folder");
  EXPECT_EQ(full.code(), Code::resource_exhausted);
  EXPECT_EQ(full.message().find("cannot write to /tmp/no/such/folder: the disk is full ("), 0u) << full.message();
}

TEST(WriteFailure, Quota_IsNamed) {
  EXPECT_NE(write_failure(EDQUOT, "/tmp").message().find("your quota is used up ("), std::string::npos);
}

TEST(WriteFailure, OtherErrors_AreNoFullDisk) {
  EXPECT_EQ(write_failure(EACCES, "/tmp"), Status(Code::permission_denied, "cannot write to /tmp: Permission denied"));
}

}  // namespace
}  // namespace muster
