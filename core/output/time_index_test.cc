// SPDX-License-Identifier: Apache-2.0
#include "core/output/time_index.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/output/fake_output_test.h"

namespace muster {
namespace {

OutputSizes sizes(int64_t nanos, uint64_t out, uint64_t err) { return {from_unix_nanos(nanos), out, err}; }

TEST(TimeIndex, lies_beside_the_output) {
  EXPECT_EQ(times_path("/a.b/attempt-1/trainer-0.out"), "/a.b/attempt-1/trainer-0.times");
  EXPECT_EQ(times_path("/a.b/attempt-1/trainer-0.err"), "/a.b/attempt-1/trainer-0.times");
}

TEST(TimeIndex, a_record_is_24_bytes_little_endian) {
  EXPECT_EQ(encode_sizes(sizes(1, 0x102, 3)), std::string("\1\0\0\0\0\0\0\0\2\1\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 24));
}

TEST(TimeIndex, finds_the_last_record_not_after) {
  FakeOutput output;
  EXPECT_EQ(sizes_at(output, "t", from_unix_nanos(5)), OutputSizes{});
  output.files["t"].bytes = encode_sizes(sizes(10, 1, 0)) + encode_sizes(sizes(20, 1ULL << 40, 7)) + "torn";
  EXPECT_EQ(sizes_at(output, "t", from_unix_nanos(9)), OutputSizes{});
  EXPECT_EQ(sizes_at(output, "t", from_unix_nanos(10)), sizes(10, 1, 0));
  EXPECT_EQ(sizes_at(output, "t", from_unix_nanos(19)), sizes(10, 1, 0));
  EXPECT_EQ(sizes_at(output, "t", from_unix_nanos(99)), sizes(20, 1ULL << 40, 7));
}

TEST(TimeIndex, SizesBeyond_AnOffset_FindsTheFirstRecordWithItsByte) {
  FakeOutput output;
  EXPECT_EQ(sizes_beyond(output, "t", OutputStream::out, 0), OutputSizes{});
  output.files["t"].bytes =
      encode_sizes(sizes(10, 4, 0)) + encode_sizes(sizes(20, 4, 7)) + encode_sizes(sizes(30, 9, 7));
  EXPECT_EQ(sizes_beyond(output, "t", OutputStream::out, 3), sizes(10, 4, 0));
  EXPECT_EQ(sizes_beyond(output, "t", OutputStream::out, 4), sizes(30, 9, 7));
  EXPECT_EQ(sizes_beyond(output, "t", OutputStream::err, 0), sizes(20, 4, 7));
  EXPECT_EQ(sizes_beyond(output, "t", OutputStream::err, 7), OutputSizes{});
}

TEST(TimeIndex, is_searched_and_not_read) {
  FakeOutput output;
  for (int64_t i = 1; i <= 100'000; ++i)
    output.files["t"].bytes += encode_sizes(sizes(i * 10, static_cast<uint64_t>(i), 0));
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const auto nanos = static_cast<int64_t>(random.below(1'100'000));
    output.reads = 0;
    EXPECT_EQ(sizes_at(output, "t", from_unix_nanos(nanos)).out,
              static_cast<uint64_t>(std::min<int64_t>(nanos / 10, 100'000)));
    EXPECT_LE(output.reads, 17);
  }
}

}  // namespace
}  // namespace muster
