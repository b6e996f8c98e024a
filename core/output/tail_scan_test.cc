// SPDX-License-Identifier: Apache-2.0
#include "core/output/tail_scan.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/output/fake_output_test.h"

namespace muster {
namespace {

class TailScanTest : public testing::Test {
 protected:
  uint64_t start_of_tail(uint64_t lines, uint64_t floor = 0) {
    TailScan scan("f", floor, output_.size("f"), lines);
    while (!scan.step(output_)) {
    }
    return scan.start();
  }
  std::string tail(uint64_t lines, uint64_t floor = 0) {
    return output_.files["f"].bytes.substr(start_of_tail(lines, floor));
  }

  FakeOutput output_;
};

TEST_F(TailScanTest, the_last_lines) {
  output_.files["f"].bytes = "one\ntwo\nthree\n";
  EXPECT_EQ(tail(0), "");
  EXPECT_EQ(tail(1), "three\n");
  EXPECT_EQ(tail(2), "two\nthree\n");
  EXPECT_EQ(tail(3), "one\ntwo\nthree\n");
  EXPECT_EQ(tail(99), "one\ntwo\nthree\n");
  EXPECT_EQ(tail(99, 5), "wo\nthree\n");
}

TEST_F(TailScanTest, an_unfinished_line_is_a_line) {
  output_.files["f"].bytes = "one\ntwo\nthr";
  EXPECT_EQ(tail(1), "thr");
  EXPECT_EQ(tail(2), "two\nthr");
  output_.files["f"].bytes = "\n\n";
  EXPECT_EQ(tail(1), "\n");
  output_.files["f"].bytes = "";
  EXPECT_EQ(tail(5), "");
}

TEST_F(TailScanTest, looks_one_block_a_step_and_no_further_than_it_must) {
  output_.files["f"].bytes = std::string(10 << 20, 'x') + "\nlast\n";
  EXPECT_EQ(tail(1), "last\n");
  EXPECT_EQ(output_.reads, 1);
  output_.reads = 0;
  EXPECT_EQ(start_of_tail(5, 8 << 20), 8u << 20);
  EXPECT_EQ(output_.reads, 9);
}

TEST_F(TailScanTest, agrees_with_counting_forward) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::string& bytes = output_.files["f"].bytes;
    bytes.clear();
    for (uint64_t i = 0, count = random.below(40); i < count; ++i)
      bytes += std::string(random.below(20) == 0 ? 300'000 : random.below(500), 'x') + "\n";
    bytes += std::string(random.below(2) * random.below(1000), 'y');
    std::vector<size_t> starts;
    for (size_t at = 0; at < bytes.size(); at = bytes.find('\n', at) + 1) {
      starts.push_back(at);
      if (bytes.find('\n', at) == std::string::npos) break;
    }
    for (const uint64_t lines : {1, 2, 3, 5, 8, 20, 39, 44}) {
      const size_t expected = starts.empty() ? 0 : starts[starts.size() - std::min<size_t>(lines, starts.size())];
      ASSERT_EQ(start_of_tail(lines), expected) << "seed " << seed << " lines " << lines;
    }
  }
}

TEST_F(TailScanTest, the_line_a_byte_belongs_to) {
  output_.files["f"].bytes = "one\ntwo\n" + std::string(100'000, 'x');
  EXPECT_EQ(line_start(output_, "f", 0, 0), 0u);
  EXPECT_EQ(line_start(output_, "f", 0, 2), 0u);
  EXPECT_EQ(line_start(output_, "f", 0, 4), 4u);
  EXPECT_EQ(line_start(output_, "f", 0, 6), 4u);
  EXPECT_EQ(line_start(output_, "f", 1, 2), 1u);
  EXPECT_EQ(line_start(output_, "f", 0, 1000), 8u);
  EXPECT_EQ(line_start(output_, "f", 0, 90'000), 90'000u);
}

}  // namespace
}  // namespace muster
