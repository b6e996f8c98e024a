// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/interrupt.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

using Action = InterruptAction;
using Event = InterruptEvent;

TEST(Interrupts, RunOnATerminal_AsksThenStopsThenKills) {
  Interrupts interrupts(InterruptMode::run, true);
  EXPECT_EQ(interrupts.on(Event::interrupt), Action::ask);
  EXPECT_TRUE(interrupts.asking());
  EXPECT_EQ(interrupts.on(Event::interrupt), Action::stop);
  EXPECT_EQ(interrupts.on(Event::interrupt), Action::kill);
  EXPECT_EQ(interrupts.on(Event::interrupt), Action::none);
  EXPECT_EQ(interrupts.exit_code(), 130);
}

TEST(Interrupts, AnswersPickWhatTheySay) {
  for (const auto& [picked, action] :
       {std::pair(Event::pick_detach, Action::detach), std::pair(Event::timeout, Action::detach),
        std::pair(Event::pick_stop, Action::stop), std::pair(Event::pick_kill, Action::kill)}) {
    Interrupts interrupts(InterruptMode::run, true);
    EXPECT_EQ(interrupts.on(picked), Action::none);
    interrupts.on(Event::interrupt);
    EXPECT_EQ(interrupts.on(picked), action);
    EXPECT_EQ(interrupts.on(picked), Action::none);
  }
}

TEST(Interrupts, RunWithoutATerminal_StopsAtOnce) {
  Interrupts interrupts(InterruptMode::run, false);
  EXPECT_EQ(interrupts.on(Event::interrupt), Action::stop);
  EXPECT_EQ(interrupts.exit_code(), 130);
  Interrupts terminated(InterruptMode::run, true);
  EXPECT_EQ(terminated.on(Event::terminate), Action::stop);
  EXPECT_EQ(terminated.exit_code(), 143);
  EXPECT_EQ(terminated.on(Event::terminate), Action::kill);
}

TEST(Interrupts, HangupLeavesTheJobAlone) {
  Interrupts interrupts(InterruptMode::run, true);
  EXPECT_EQ(interrupts.on(Event::hangup), Action::detach);
  EXPECT_EQ(interrupts.on(Event::interrupt), Action::none);
}

TEST(Interrupts, StandaloneAlwaysStops) {
  for (const Event event : {Event::interrupt, Event::terminate, Event::hangup}) {
    Interrupts interrupts(InterruptMode::standalone, true);
    EXPECT_EQ(interrupts.on(event), Action::stop);
  }
}

TEST(Interrupts, AttachingAndLooking_OnlyLeave) {
  for (const InterruptMode mode : {InterruptMode::attach, InterruptMode::look}) {
    for (const bool terminal : {true, false}) {
      Interrupts interrupts(mode, terminal);
      EXPECT_EQ(interrupts.on(Event::interrupt), Action::detach);
      EXPECT_EQ(interrupts.on(Event::interrupt), Action::none);
      EXPECT_EQ(interrupts.exit_code(), 130);
      EXPECT_EQ(Interrupts(mode, terminal).on(Event::terminate), Action::detach);
    }
  }
}

TEST(PickOfKey, KnowsItsThreeKeysAndEnter) {
  InterruptEvent picked{};
  EXPECT_TRUE(pick_of_key('K', picked));
  EXPECT_EQ(picked, Event::pick_kill);
  EXPECT_TRUE(pick_of_key('\n', picked));
  EXPECT_EQ(picked, Event::pick_detach);
  EXPECT_FALSE(pick_of_key('x', picked));
}

}  // namespace
}  // namespace muster
