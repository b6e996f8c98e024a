// SPDX-License-Identifier: Apache-2.0
#include "core/job/failure_rule.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

using Kind = FailureRule::Kind;

ExitStatus said(const std::string& detail) {
  ExitStatus status;
  status.code = 1;
  status.detail = detail;
  return status;
}

bool meant(const std::string& rule, const ExitStatus& status) { return matches(*parse_failure_rule(rule), status); }

TEST(FailureRuleText, EveryFormReadsBackAsItself) {
  for (const std::string text :
       {"exit 2", "SIGBUS", "oom", "lost", "hang", "exception torch.cuda.OutOfMemoryError", "message ECC * page",
        "group trainer", "group trainer exit 255", "group a message of group b exit 2", "signal 40"}) {
    const auto rule = parse_failure_rule(text);
    ASSERT_TRUE(rule) << text;
    EXPECT_EQ(to_string(*rule), text);
  }
}

TEST(FailureRuleText, WhatIsNoRule) {
  for (const std::string text : {"",
                                 "exit",
                                 "exit 0",
                                 "exit 256",
                                 "exit x",
                                 "2",
                                 "BUS",
                                 "exception",
                                 "exception ",
                                 "exception a b",
                                 "message ",
                                 "message *",
                                 "message a\nb",
                                 "group",
                                 "group ",
                                 "group Trainer",
                                 "group a exit",
                                 "group a ",
                                 "group a group b",
                                 "any"}) {
    EXPECT_FALSE(parse_failure_rule(text)) << text;
  }
  EXPECT_FALSE(parse_failure_rule("message " + std::string(201, 'x')));
}

TEST(FailureRuleText, WhatMayHaveBeenMeant) {
  EXPECT_EQ(failure_rule_meant("2"), "exit 2");
  EXPECT_EQ(failure_rule_meant("BUS"), "SIGBUS");
  EXPECT_EQ(failure_rule_meant("omo"), "oom");
  EXPECT_EQ(failure_rule_meant("whatever"), std::nullopt);
}

TEST(FailureRuleMatch, OnlyItsKind) {
  ExitStatus two;
  two.code = 2;
  ExitStatus bus;
  bus.kind = ExitStatus::Kind::signalled;
  bus.signal = 7;
  EXPECT_TRUE(meant("exit 2", two));
  EXPECT_FALSE(meant("exit 3", two));
  EXPECT_FALSE(meant("exit 7", bus));
  EXPECT_TRUE(meant("SIGBUS", bus));
  EXPECT_FALSE(meant("SIGBUS", two));
  EXPECT_FALSE(meant("oom", bus));
  bus.oom = true;
  EXPECT_TRUE(meant("oom", bus));
}

TEST(FailureRuleMatch, ExceptionsByNameWithOrWithoutModule) {
  const ExitStatus status = said("torch.cuda.OutOfMemoryError: CUDA out of memory at train.py:41");
  EXPECT_TRUE(meant("exception OutOfMemoryError", status));
  EXPECT_TRUE(meant("exception torch.cuda.OutOfMemoryError", status));
  EXPECT_FALSE(meant("exception MemoryError", status));
  EXPECT_TRUE(meant("exception KeyboardInterrupt", said("KeyboardInterrupt at a.py:1")));
  EXPECT_FALSE(meant("exception Error", said("")));
  ExitStatus caught = status;
  caught.code = 6;
  EXPECT_FALSE(meant("exception OutOfMemoryError", caught)) << "it ended with a code of its own choice";
}

TEST(FailureRuleMatch, MessagesAreFoundAnywhere) {
  const ExitStatus status = said("RuntimeError: CUDA error: uncorrectable ECC error encountered at x.py:3");
  EXPECT_TRUE(meant("message uncorrectable ECC", status));
  EXPECT_TRUE(meant("message CUDA*ECC", status));
  EXPECT_FALSE(meant("message ECC*CUDA error", status));
  EXPECT_FALSE(meant("message ecc", status));
  EXPECT_FALSE(meant("message x", said("")));
}

TEST(FailureRuleMatch, AnyEndOfAGroupAndWhatIsNoEnd) {
  EXPECT_TRUE(meant("group a", said("")));
  EXPECT_FALSE(meant("lost", said("lost")));
  EXPECT_FALSE(meant("hang", said("hang")));
}

}  // namespace
}  // namespace muster
