// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/pod/log_record.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.h"

namespace muster::pod {
namespace {

LogRecord record_of(size_t events, size_t noise = 0) {
  Random random(11);
  LogRecord record;
  record.job.name = "hello";
  record.job.sentence = "failed: rank 1 exited 7";
  for (size_t i = 0; i < events; ++i) {
    JobEvent event;
    event.sequence = i + 1;
    while (event.sentence.size() < noise) event.sentence += std::to_string(random.next());
    record.events.push_back(event);
  }
  return record;
}

TEST(LogRecord, IsReadFromTheEndOfALog) {
  const LogRecord record = record_of(3);
  const std::string lines = record_lines(record);
  EXPECT_TRUE(is_record_line(lines));
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1);
  const auto back = record_in("[0] some output\n" + lines + "hello  another sentence\n");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->job, record.job);
  EXPECT_EQ(back->events, record.events);
}

TEST(LogRecord, TheLastWholeOne_Counts) {
  const std::string lines = record_lines(record_of(100, 400));
  EXPECT_GT(std::count(lines.begin(), lines.end(), '\n'), 1);
  EXPECT_EQ(record_in(record_lines(record_of(1)) + lines)->events.size(), 100u);
  EXPECT_EQ(record_in(record_lines(record_of(1)) + lines.substr(0, lines.size() - 6100))->events.size(), 1u);
  EXPECT_FALSE(record_in(lines.substr(lines.find('\n') + 1)));
}

TEST(LogRecord, OfManyEvents_TheFirstAndTheNewestStay) {
  const std::string lines = record_lines(record_of(20'000, 100));
  EXPECT_LE(std::count(lines.begin(), lines.end(), '\n'), static_cast<long>(kMostRecordLines));
  const auto back = record_in(lines);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->events.size(), 250u);
  EXPECT_EQ(back->events.back().sequence, 20'000u);
}

TEST(LogRecord, AnySize_IsReadBack) {
  for (size_t noise = 1; noise < 400; noise += 20) {
    const LogRecord record = record_of(1, noise);
    const auto back = record_in(record_lines(record));
    ASSERT_TRUE(back) << noise;
    EXPECT_EQ(back->events, record.events);
  }
}

TEST(LogRecord, DamagedLetters_AreRefused) {
  const std::string lines = record_lines(record_of(3));
  const std::string head = lines.substr(0, lines.rfind(' ') + 1);
  const std::string letters = lines.substr(head.size(), lines.size() - head.size() - 1);
  ASSERT_TRUE(record_in(head + letters + "\n"));
  const size_t middle = letters.size() / 2;
  for (const char* damage : {"!", "!!!!", "==", "====", "AAAA"}) {
    EXPECT_FALSE(record_in(head + std::string(letters).insert(middle, damage) + "\n")) << damage;
  }
  for (const char* all : {"Zg", "Zg=", "Z===", "====", "Zm9v!m9v", "Zg==Zg=="})
    EXPECT_FALSE(record_in(head + all + "\n")) << all;
}

TEST(LogRecord, WhatIsNone_IsNone) {
  for (const char* log :
       {"", "muster-record ", "muster-record 1/1 ", "muster-record 1/1 AAAA\n", "muster-record x/y z\n"})
    EXPECT_FALSE(record_in(log)) << log;
}

}  // namespace
}  // namespace muster::pod
