// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/checked_line.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/system/store/record_text.h"

namespace muster::store {
namespace {

TEST(CheckedLine, crc32c_is_that_of_rfc_3720) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(CheckedLine, reads_back_what_it_wrote_and_nothing_else) {
  const std::string line = checked_line("{\"a\":1}");
  EXPECT_EQ(line.substr(0, 3), "v1 ");
  EXPECT_EQ(read_checked_line(line), "{\"a\":1}");
  EXPECT_EQ(read_checked_line(checked_line("")), "");
  for (size_t i = 0; i < line.size(); ++i) {
    std::string damaged = line;
    damaged[i] = static_cast<char>(damaged[i] ^ 4);
    EXPECT_FALSE(read_checked_line(damaged)) << i;
    EXPECT_FALSE(read_checked_line(line.substr(0, i))) << i;
  }
}

TEST(JournalText, every_torn_tail_gives_the_whole_lines_before_it) {
  const std::string first = checked_line("one") + "\n";
  const std::string text = first + checked_line("two") + "\n";
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    const JournalText read = parse_journal(text.substr(0, cut));
    EXPECT_EQ(read.lines.size(), cut == text.size() ? 2u : cut >= first.size() ? 1u : 0u) << cut;
    EXPECT_FALSE(read.newer);
  }
}

TEST(JournalText, nothing_behind_a_damaged_line_counts) {
  const std::string one = checked_line("one") + "\n";
  const JournalText read = parse_journal(one + std::string(100, '\0') + "\n" + one);
  EXPECT_EQ(read.lines, (std::vector<std::string>{"one"}));
  EXPECT_EQ(read.whole_bytes, one.size());
}

TEST(JournalText, a_later_version_is_told_from_damage) {
  EXPECT_TRUE(parse_journal(checked_line("one") + "\nv2 anything\n").newer);
  EXPECT_TRUE(parse_journal("v12 anything").newer);
  EXPECT_FALSE(parse_journal("v1 00000000 wrong\n").newer);
  EXPECT_FALSE(parse_journal("v").newer);
  EXPECT_FALSE(parse_journal("velvet\n").newer);
}

TEST(RecordText, reads_back_what_it_wrote) {
  Random random(1);
  const JobRecord record{JobId::make(random), "train-7f2",      "running", from_unix_nanos(1'700'000'000'000'000'000),
                         TimePoint(),         "key=with=equals"};
  const Result<std::string> text = record_to_text(record);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*record_from_text(*text), record);
  EXPECT_EQ(record_from_text(text->substr(0, text->size() / 2)).status().code(), Code::data_loss);
  EXPECT_EQ(record_from_text("").status().code(), Code::data_loss);
}

TEST(RecordText, refuses_a_newline) {
  Random random(1);
  JobRecord record{JobId::make(random), "train", "running", TimePoint(), TimePoint(), "a\nid=b"};
  EXPECT_EQ(record_to_text(record).status().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace muster::store
