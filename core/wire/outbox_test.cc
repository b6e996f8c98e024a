// SPDX-License-Identifier: Apache-2.0
#include "core/wire/outbox.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

struct Note {
  std::string text;
  size_t ByteSizeLong() const { return text.size(); }
};

std::string drained(Outbox<Note>& outbox) {
  std::string order;
  while (const Note* next = outbox.next()) {
    order += next->text;
    outbox.written();
  }
  return order;
}

TEST(Outbox, BulkWaitsForEverythingElseAndEachKeepsItsOrder) {
  Outbox<Note> outbox;
  for (const char* bulk : {"x", "y", "z"}) outbox.push({bulk}, SendPriority::bulk);
  for (const char* usual : {"a", "b"}) outbox.push({usual});
  EXPECT_EQ(outbox.bytes(), 5u);
  EXPECT_EQ(drained(outbox), "abxyz");
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.bytes(), 0u);
}

TEST(Outbox, OfTheLastThereIsNoMore) {
  Outbox<Note> outbox;
  EXPECT_FALSE(outbox.more());
  outbox.push({"a"});
  outbox.push({"x"}, SendPriority::bulk);
  outbox.next();
  EXPECT_TRUE(outbox.more());
  outbox.written();
  outbox.next();
  EXPECT_FALSE(outbox.more());
  outbox.push({"b"});
  EXPECT_TRUE(outbox.more());
}

TEST(Outbox, WhatIsUnderWayIsFinishedFirst) {
  Outbox<Note> outbox;
  outbox.push({"x"}, SendPriority::bulk);
  EXPECT_EQ(outbox.next()->text, "x");
  outbox.push({"a"});
  EXPECT_EQ(outbox.next(), nullptr);
  outbox.written();
  EXPECT_EQ(drained(outbox), "a");
}

}  // namespace
}  // namespace muster
