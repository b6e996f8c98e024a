// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/output/fake_output_test.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TimePoint second(int64_t number) { return from_unix_nanos(number * 1'000'000'000); }

TEST(KeepFrom, seven_eighths_stay) {
  EXPECT_EQ(keep_from(1000, 0, 0), 0u);
  EXPECT_EQ(keep_from(800, 0, 800), 0u);
  EXPECT_EQ(keep_from(801, 0, 800), 101u);
  EXPECT_EQ(keep_from(900, 101, 800), 101u);
  EXPECT_EQ(keep_from(902, 101, 800), 202u);
  EXPECT_EQ(keep_from(50, 101, 800), 101u);
}

class OutputRetentionTest : public testing::Test {
 protected:
  OutputRetentionTest() { retention_.begin({{3, "1/r.out", "1/r.err"}, {4, "1/tty.out", ""}}); }
  FakeOutput output_;
  OutputRetention retention_{output_, 800};
};

TEST_F(OutputRetentionTest, notes_sizes_while_files_grow) {
  EXPECT_THAT(retention_.beat(second(1)).dropped, IsEmpty());
  EXPECT_FALSE(output_.files.contains("1/r.times"));
  output_.files["1/r.out"].bytes = "one\n";
  (void)retention_.beat(second(2));
  (void)retention_.beat(second(3));
  output_.files["1/r.err"].bytes = "oh\n";
  (void)retention_.beat(second(4));
  EXPECT_EQ(output_.files["1/r.times"].bytes, encode_sizes({second(2), 4, 0}) + encode_sizes({second(4), 4, 3}));
  EXPECT_EQ(sizes_at(output_, "1/r.times", second(3)).out, 4u);
}

TEST_F(OutputRetentionTest, holds_each_file_to_the_limit) {
  output_.files["1/r.out"].bytes = std::string(1000, 'x');
  output_.files["1/r.err"].bytes = std::string(800, 'x');
  EXPECT_THAT(retention_.beat(second(1)).dropped, ElementsAre(DroppedOutput{3, OutputStream::out, 300, 300}));
  EXPECT_THAT(retention_.beat(second(2)).dropped, IsEmpty());
  output_.files["1/r.out"].bytes += std::string(200, 'x');
  EXPECT_THAT(retention_.beat(second(3)).dropped, ElementsAre(DroppedOutput{3, OutputStream::out, 200, 500}));
  EXPECT_EQ(output_.first_kept("1/r.out"), 500u);
  EXPECT_EQ(output_.first_kept("1/r.err"), 0u);
}

TEST_F(OutputRetentionTest, Beat_DiskFull_OutputOfFilesIsLostAndOfTerminalsWaits) {
  output_.files["1/r.out"].bytes = "one\n";
  output_.files["1/tty.out"].bytes = "one\n";
  output_.full = true;
  EXPECT_THAT(retention_.beat(second(1)).troubles, ElementsAre("output of ranks is being lost: the disk is full",
                                                               "logs --since shows too much: the disk is full"));
}

// The file of times may still have room in its last block.
TEST_F(OutputRetentionTest, Beat_DiskFullWhileTimesHaveABlock_IsToldOnce) {
  output_.files["1/r.out"].bytes = "one\n";
  output_.files["1/tty.out"].bytes = "one\n";
  output_.no_room = true;
  EXPECT_THAT(retention_.beat(second(1)).troubles, ElementsAre("output of ranks may be lost: the disk is full"));
  output_.files["1/r.out"].bytes = "one\ntwo\n";
  EXPECT_THAT(retention_.beat(second(2)).troubles, IsEmpty());
}

TEST_F(OutputRetentionTest, Beat_NoInodes_OutputIsNotLost) {
  output_.files["1/r.out"].bytes = "one\n";
  output_.full = true;
  output_.why_full = std::string(kNoInodes) + " on the disk";
  EXPECT_THAT(retention_.beat(second(1)).troubles,
              ElementsAre("logs --since shows too much: no inodes are left on the disk"));
}

TEST_F(OutputRetentionTest, a_limit_below_a_block_drops_nothing) {
  output_.block = 4096;
  output_.files["1/r.out"].bytes = std::string(1000, 'x');
  const OutputRetention::Beat beat = retention_.beat(second(1));
  EXPECT_THAT(beat.dropped, IsEmpty());
  EXPECT_THAT(beat.troubles, IsEmpty());
}

TEST_F(OutputRetentionTest, a_file_system_that_cannot_is_told_once) {
  output_.no_holes = true;
  output_.files["1/r.out"].bytes = std::string(1000, 'x');
  EXPECT_THAT(retention_.beat(second(1)).troubles, ElementsAre("logs.max is not enforced: no holes here"));
  EXPECT_THAT(retention_.beat(second(2)).troubles, IsEmpty());
}

TEST_F(OutputRetentionTest, after_a_lost_record_there_is_none) {
  output_.full = true;
  output_.files["1/r.out"].bytes = "a";
  EXPECT_THAT(retention_.beat(second(1)).troubles, SizeIs(1));
  output_.full = false;
  output_.files["1/r.out"].bytes = "ab";
  EXPECT_THAT(retention_.beat(second(2)).troubles, IsEmpty());
  EXPECT_FALSE(output_.files.contains("1/r.times"));
}

}  // namespace
}  // namespace muster
