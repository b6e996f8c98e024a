// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/config_edit.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string with(const std::string& text, const std::string& key, const std::string& value) {
  const auto changed = with_value(text, "muster.yaml", key, value);
  return changed.ok() ? *changed : "no: " + changed.status().message();
}

TEST(ConfigEdit, AValueThatIsThereIsReplacedAndItsCommentStays) {
  EXPECT_EQ(with("# mine\nrestarts:\n  limit: 3   # enough\n", "restarts.limit", "5"),
            "# mine\nrestarts:\n  limit: 5   # enough\n");
  EXPECT_EQ(with("restarts: {limit: 3, grace: 9s}", "restarts.limit", "10"), "restarts: {limit: 10, grace: 9s}");
  EXPECT_EQ(with("env: {A: \"x y\"}\n", "env.A", "z"), "env: {A: z}\n");
}

TEST(ConfigEdit, ANewValueGoesBelowItsMapOrToTheEnd) {
  EXPECT_EQ(with("", "restarts.limit", "5"), "restarts:\n  limit: 5\n");
  EXPECT_EQ(with("backend: local", "logs.max", "1GiB"), "backend: local\nlogs:\n  max: 1GiB\n");
  EXPECT_EQ(with("restarts:\n  # few\n  grace: 9s\n", "restarts.limit", "5"),
            "restarts:\n  # few\n  limit: 5\n  grace: 9s\n");
  EXPECT_EQ(with("restarts: {grace: 9s}  # slow\n", "restarts.limit", "3"),
            "restarts: {limit: 3, grace: 9s}  # slow\n");
  EXPECT_EQ(with("restarts: {limit: 3}", "restarts.backoff.first", "1s"), "restarts: {backoff: {first: 1s}, limit: 3}");
  EXPECT_EQ(with("env: {}\n", "env.A", "b"), "env: {A: b}\n");
  EXPECT_EQ(with("", "restarts.backoff.first", "1s"), "restarts:\n  backoff:\n    first: 1s\n");
  EXPECT_EQ(with("", "env.A.B", "c"), "env:\n  A.B: c\n");
  EXPECT_EQ(with("", "backend", "local"), "backend: local\n");
}

TEST(ConfigEdit, WhatDoesNotBelongThereIsRefused) {
  EXPECT_TRUE(with("", "restarts.limit", "many").starts_with("no: `restarts.limit` must be a whole number"));
  EXPECT_TRUE(with("", "restarts.limt", "3").starts_with("no: unknown key `limt`"));
  EXPECT_TRUE(with("", "command", "[x]").starts_with("no: `command` belongs in a job file"));
  EXPECT_TRUE(with("a: [", "restarts.limit", "3").starts_with("no: "));
}

TEST(ConfigEdit, WhatOnlyAPersonCanPlaceIsLeftToOne) {
  EXPECT_TRUE(with("restarts: &r\n  {grace: 9s}\nlabels: *r\n", "restarts.limit", "3").starts_with("no: "));
  EXPECT_TRUE(with("env: &e\n  A: |\n    x\n", "env.A", "y").starts_with("no: "));
}

}  // namespace
}  // namespace muster
