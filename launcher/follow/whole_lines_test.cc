// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/whole_lines.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace muster {
namespace {

constexpr OutputStream kStdout = OutputStream::out;
constexpr OutputStream kStderr = OutputStream::err;

std::string text_of(const std::vector<WholeLines::Piece>& pieces) {
  std::string text;
  for (const WholeLines::Piece& piece : pieces) text += piece.bytes;
  return text;
}

TEST(WholeLines, AreNotTornByOthers) {
  WholeLines lines(false);
  EXPECT_EQ(text_of(lines.add(0, kStdout, "one ")), "");
  EXPECT_EQ(text_of(lines.add(1, kStdout, "other\n")), "other\n");
  EXPECT_EQ(text_of(lines.add(0, kStdout, "line\nand")), "one line\n");
  EXPECT_TRUE(lines.holding());
  EXPECT_EQ(text_of(lines.release()), "and");
  EXPECT_FALSE(lines.holding());
}

TEST(WholeLines, AnUnfinishedOneThatIsOutGetsItsEndWhenAnotherRankWrites) {
  WholeLines lines(false);
  lines.add(0, kStderr, "10 %");
  EXPECT_EQ(text_of(lines.release()), "10 %");
  lines.add(0, kStderr, "\r20 %");
  EXPECT_EQ(text_of(lines.release()), "\r20 %");
  EXPECT_EQ(text_of(lines.add(1, kStdout, "elsewhere\n")), "elsewhere\n");
  EXPECT_EQ(lines.add(1, kStderr, "warning\n"),
            (std::vector<WholeLines::Piece>{{kStderr, "\n"}, {kStderr, "warning\n"}}));
}

TEST(WholeLines, InOnePlaceStdoutAndStderrAreNeighbours) {
  WholeLines lines(true);
  lines.add(0, kStdout, "half");
  lines.release();
  EXPECT_EQ(lines.add(1, kStderr, "warning\n"),
            (std::vector<WholeLines::Piece>{{kStdout, "\n"}, {kStderr, "warning\n"}}));
  lines.add(0, kStdout, "half");
  lines.release();
  EXPECT_EQ(lines.make_room(), (std::vector<WholeLines::Piece>{{kStdout, "\n"}}));
  EXPECT_EQ(lines.make_room(), std::vector<WholeLines::Piece>{});
}

TEST(WholeLines, ALongOneIsNotHeldForEver) {
  WholeLines lines(false);
  EXPECT_EQ(text_of(lines.add(0, kStdout, std::string(WholeLines::longest_held + 1, 'x'))).size(),
            WholeLines::longest_held + 1);
}

// With any cuts, no byte is lost; without release() every line stays whole.
TEST(WholeLines, KeepEveryByte) {
  Random random(5);
  WholeLines lines(true);
  std::string out;
  std::string sent[3];
  for (int round = 0; round < 3000; ++round) {
    const auto rank = static_cast<uint32_t>(random.below(3));
    std::string piece(random.below(5), static_cast<char>('a' + rank));
    if (random.below(3) == 0) piece += '\n';
    sent[rank] += piece;
    out += text_of(lines.add(rank, kStdout, piece));
  }
  out += text_of(lines.release());
  size_t all = 0;
  for (uint32_t rank = 0; rank < 3; ++rank) all += sent[rank].size();
  EXPECT_GE(out.size(), all);
  for (size_t i = 1; i + 1 < out.size(); ++i) {
    const bool within_a_line = out[i] != '\n' && out[i - 1] != '\n';
    ASSERT_TRUE(!within_a_line || out[i] == out[i - 1]) << i;
  }
}

}  // namespace
}  // namespace muster
