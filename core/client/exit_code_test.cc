// SPDX-License-Identifier: Apache-2.0
#include "core/client/exit_code.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(ExitCodeOf, EachKindOfFailureHasItsDocumentedNumber) {
  EXPECT_EQ(exit_code_of(Status()), 0);
  EXPECT_EQ(exit_code_of({Code::internal, ""}), 1);
  EXPECT_EQ(exit_code_of({Code::invalid_argument, ""}), 2);
  EXPECT_EQ(exit_code_of({Code::unavailable, ""}), 3);
  EXPECT_EQ(exit_code_of({Code::permission_denied, ""}), 4);
  EXPECT_EQ(exit_code_of({Code::not_found, ""}), 5);
  EXPECT_EQ(exit_code_of({Code::failed_precondition, ""}), 6);
  EXPECT_EQ(exit_code_of({Code::already_exists, ""}), 6);
  EXPECT_EQ(exit_code_of({Code::deadline_exceeded, ""}), 7);
  EXPECT_EQ(exit_code_of({Code::resource_exhausted, ""}), 8);
  EXPECT_EQ(exit_code_of({Code::cancelled, ""}), 130);
}

}  // namespace
}  // namespace muster
