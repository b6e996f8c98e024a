// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/written_value.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

std::string at(const std::string& text, const std::string& path) {
  const auto found = written_value(text, "f", path);
  return found ? std::to_string(found->where.line) + " " + found->text : "nothing";
}

TEST(WrittenValue, IsFoundByItsDottedKey) {
  const std::string text = "workers: 2\nrestarts:\n  limit: 3\n  backoff: {first: 1s}\nenv: {A.B: \"x y\", C: 1}\n";
  EXPECT_EQ(at(text, "workers"), "1 2");
  EXPECT_EQ(at(text, "restarts.limit"), "3 3");
  EXPECT_EQ(at(text, "restarts.backoff"), "4 {first: 1s}");
  EXPECT_EQ(at(text, "restarts.backoff.first"), "4 1s");
  EXPECT_EQ(at(text, "env.A.B"), "5 \"x y\"");
  EXPECT_EQ(at(text, "groups.worker.workers"), "1 2");
  EXPECT_EQ(at(text, "restarts.grace"), "nothing");
  EXPECT_EQ(at(text, "workers.limit"), "nothing");
}

TEST(WrittenValue, OfAGroupIsFoundByItsName) {
  const std::string text = "groups:\n- name: a\n  workers: 2\n- {name: b, command: [x, \"1\"]}\n";
  EXPECT_EQ(at(text, "groups.a.workers"), "3 2");
  EXPECT_EQ(at(text, "groups.b.command"), "4 [x, \"1\"]");
  EXPECT_EQ(at(text, "groups.c.command"), "nothing");
  EXPECT_EQ(at(text, "workers"), "nothing");
  EXPECT_EQ(at("groups: [{workers: 3}]", "workers"), "1 3");
}

TEST(WrittenValue, StaysOnOneLine) {
  EXPECT_EQ(at("command: [sh, -c, \"a\\n\\\"b\\\"\"]", "command"), R"(1 [sh, -c, "a\u000a\"b\""])");
}

TEST(WrittenValue, WhatCannotBeReadSaysNothing) {
  EXPECT_EQ(at("a: [", "a"), "nothing");
  EXPECT_EQ(at("", "a"), "nothing");
  EXPECT_EQ(at("restarts:\n", "restarts"), "nothing");
}

}  // namespace
}  // namespace muster
