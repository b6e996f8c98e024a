// SPDX-License-Identifier: Apache-2.0
#include "core/output/order_recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "core/output/fake_output_test.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class OrderRecorderTest : public testing::Test {
 protected:
  OrderRecorderTest() {
    loop_.time = from_unix_nanos(5);
    recorder_.begin({{3, "1/r.out", "1/r.err"}});
  }
  void write(const std::string& path, const std::string& bytes) { output_.files[path].bytes += bytes; }
  void print(const std::string& path, const std::string& bytes) {
    write(path, bytes);
    tell({path});
  }
  // The kernel's queue has writes to these files.
  void tell(const std::vector<std::string>& paths) {
    const auto watches = output_.watches;
    for (const auto& [watch, watched] : watches) watched.second(paths);
  }
  // The order file is as long as it may be.
  void fill() {
    output_.files["1/r.order"].bytes.resize(kMostOrderBytes - kSizesBytes);
    recorder_.begin({{3, "1/r.out", "1/r.err"}});
  }
  void write_often(int times) {
    for (int i = 0; i < times; ++i) {
      write("1/r.out", "x");
      tell({"1/r.out"});
    }
  }
  std::vector<OutputSizes> records() { return decode_sizes(output_.files["1/r.order"].bytes); }
  OutputSizes record(uint64_t out, uint64_t err) { return {loop_.time, out, err}; }

  FakeLoop loop_;
  FakeOutput output_;
  std::vector<uint32_t> written_;
  OrderRecorder recorder_{loop_, output_, output_,
                          [this](uint32_t index, const std::string&, uint64_t) { written_.push_back(index); }};
};

TEST_F(OrderRecorderTest, Begin_NoOutputYet_SaysThatTheOrderIsRecorded) {
  EXPECT_THAT(records(), ElementsAre(record(0, 0)));
}

TEST_F(OrderRecorderTest, Look_StderrBeforeStdout_KeepsTheOrderOfTheWrites) {
  write("1/r.err", "warning\n");
  write("1/r.out", "step 1\n");
  tell({"1/r.err", "1/r.out"});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(0, 8), record(7, 8)));
  EXPECT_THAT(written_, ElementsAre(3, 3));
}

TEST_F(OrderRecorderTest, Look_StreamsTakeTurns_HasARecordForEachTurn) {
  write("1/r.out", "a\nb\n");
  write("1/r.err", "x\n");
  tell({"1/r.out", "1/r.err", "1/r.out"});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(2, 0), record(2, 2), record(4, 2)));
}

TEST_F(OrderRecorderTest, Look_LineBegunInTheLookBefore_IsEndedByItsTurn) {
  write("1/r.out", "step 0");
  tell({"1/r.out"});
  write("1/r.out", "\nstep 1\nstep 2\nstep 3\n");
  write("1/r.err", "x\n");
  tell({"1/r.out", "1/r.out", "1/r.out", "1/r.err", "1/r.err", "1/r.out", "1/r.out", "1/r.out", "1/r.out"});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(6, 0), record(14, 0), record(14, 2), record(28, 2)));
}

// A look cannot know which of the bytes belong to writes that come while it measures.
TEST_F(OrderRecorderTest, Look_RankWritesDuringIt_RecordsOnceTheSizesAreThoseOfTheWrites) {
  const std::string streams[] = {"1/r.out", "1/r.err"};
  bool writes = true;
  size_t written = 1;
  output_.on_catch_up = [&] {
    if (writes) print(streams[written++ % 2], "x\n");
  };
  print("1/r.out", "x\n");
  EXPECT_THAT(records(), SizeIs(1));
  writes = false;
  ASSERT_TRUE(loop_.timer);
  loop_.timer();
  const std::vector<OutputSizes> found = records();
  ASSERT_THAT(found, SizeIs(written + 1));
  for (uint64_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i], record((i + 1) / 2 * 2, i / 2 * 2)) << i;
}

TEST_F(OrderRecorderTest, Look_RankWritesNoMore_IsRepeatedSoon) {
  bool writes = true;
  output_.on_catch_up = [&] {
    if (writes) print("1/r.out", "x\n");
  };
  print("1/r.out", "x\n");
  EXPECT_THAT(records(), SizeIs(1));
  writes = false;
  ASSERT_TRUE(loop_.timer);
  loop_.timer();
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(output_.size("1/r.out"), 0)));
}

TEST_F(OrderRecorderTest, CatchUp_RankWroteDuringTheLookBefore_RecordsItsLastBytes) {
  bool writes = true;
  output_.on_catch_up = [&] {
    if (writes) print("1/r.out", "x\n");
  };
  print("1/r.out", "x\n");
  writes = false;
  recorder_.catch_up({});
  EXPECT_EQ(records().back().out, output_.size("1/r.out"));
}

// A write that crosses a page of the file is seen in two parts.
TEST_F(OrderRecorderTest, Look_LineOnlyPartlyWritten_TheOtherStreamDoesNotCutIt) {
  write("1/r.out", "first\nsec");
  write("1/r.err", "x\n");
  tell({"1/r.out", "1/r.err"});
  EXPECT_THAT(records(), SizeIs(1));
  write("1/r.out", "ond\n");
  tell({"1/r.out"});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(6, 0), record(6, 2), record(13, 2)));
}

TEST_F(OrderRecorderTest, Look_PromptBeforeTheOtherStream_IsRecordedAtTheNextLook) {
  write("1/r.out", "name? ");
  write("1/r.err", "x\n");
  tell({"1/r.out", "1/r.err"});
  const OutputSizes begin = record(0, 0);
  EXPECT_THAT(records(), ElementsAre(begin));
  loop_.time += std::chrono::milliseconds(5);
  loop_.timer();
  EXPECT_THAT(records(), ElementsAre(begin, record(6, 0), record(6, 2)));
}

TEST_F(OrderRecorderTest, CatchUp_RankEndedWithinALine_RecordsAllOfIt) {
  write("1/r.out", "name? ");
  write("1/r.err", "x\n");
  tell({"1/r.out", "1/r.err"});
  recorder_.catch_up({3});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(6, 0), record(6, 2)));
}

TEST_F(OrderRecorderTest, Look_RankNeverPauses_RecordsWholeLinesAfterAWhile) {
  output_.on_catch_up = [&] {
    print("1/r.out", "o\n");
    print("1/r.err", "e\ne");
  };
  print("1/r.out", "o\n");
  EXPECT_THAT(records(), SizeIs(1));
  loop_.time += std::chrono::milliseconds(200);
  loop_.timer();
  ASSERT_THAT(records(), SizeIs(testing::Gt(1u)));
  for (const OutputSizes& sizes : records()) {
    EXPECT_TRUE(sizes.err == 0 || output_.files["1/r.err"].bytes[sizes.err - 1] == '\n') << sizes.err;
  }
}

TEST_F(OrderRecorderTest, Look_MoreTurnsThanItSplits_TheLastWriteComesLast) {
  std::vector<std::string> paths = {"1/r.err"};
  write("1/r.err", "b\n");
  for (int i = 0; i < 5000; ++i) {
    write("1/r.out", "a\n");
    write("1/r.err", "b\n");
    paths.insert(paths.end(), {"1/r.out", "1/r.err"});
  }
  tell(paths);
  const std::vector<OutputSizes> found = records();
  ASSERT_THAT(found, SizeIs(testing::Gt(2u)));
  EXPECT_LT(found[found.size() - 2].err, found.back().err);
}

TEST_F(OrderRecorderTest, Look_ThousandsOfTurns_IsBounded) {
  std::vector<std::string> paths;
  for (int i = 0; i < 5000; ++i) {
    write("1/r.out", "a\n");
    write("1/r.err", "b\n");
    paths.insert(paths.end(), {"1/r.out", "1/r.err"});
  }
  tell(paths);
  EXPECT_LE(records().size(), 1026u);
  EXPECT_EQ(records().back(), record(10'000, 10'000));
}

TEST_F(OrderRecorderTest, Look_UnknownFiles_StdoutBeforeStderr) {
  write("1/r.out", "a\n");
  write("1/r.err", "x\n");
  tell({});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(2, 0), record(2, 2)));
}

TEST_F(OrderRecorderTest, Look_UnknownFilesWithinALine_TheOtherStreamDoesNotCutIt) {
  write("1/r.out", "a\nb");
  write("1/r.err", "x\n");
  tell({});
  EXPECT_THAT(records(), SizeIs(1));
  write("1/r.out", "c\n");
  tell({"1/r.out"});
  EXPECT_THAT(records(), ElementsAre(record(0, 0), record(5, 0), record(5, 2)));
}

// The kernel's queue was full.
TEST_F(OrderRecorderTest, Look_FilesGrowUnnamedDuringIt_AreMeasuredAgain) {
  bool grew = false;
  output_.on_catch_up = [&] {
    if (std::exchange(grew, true)) return;
    write("1/r.err", "e\n");
    write("1/r.out", "o\n");
    tell({});
  };
  print("1/r.out", "o\n");
  EXPECT_EQ(records().back(), record(4, 2));
}

TEST_F(OrderRecorderTest, Look_NothingGrew_WritesNoRecord) {
  tell({"1/r.out"});
  tell({"1/other.out"});
  tell({});
  EXPECT_THAT(records(), SizeIs(1));
}

TEST_F(OrderRecorderTest, Append_DiskIsFull_RecordsNoMoreForThatRank) {
  output_.full = true;
  write("1/r.out", "a\n");
  tell({"1/r.out"});
  output_.full = false;
  write("1/r.out", "b\n");
  tell({"1/r.out"});
  EXPECT_THAT(records(), SizeIs(1));
}

TEST_F(OrderRecorderTest, Append_FileReachesItsBound_DropsTheOldestRecords) {
  fill();
  write_often(1);
  EXPECT_GE(output_.files["1/r.order"].kept, kMostOrderBytes / 8);
}

TEST_F(OrderRecorderTest, Append_FileSystemDropsNothing_StopsAtTheBound) {
  output_.no_holes = true;
  fill();
  write_often(10);
  EXPECT_LE(output_.files["1/r.order"].bytes.size(), kMostOrderBytes + kSizesBytes);
}

std::vector<uint64_t> ends_of(const std::string& bytes, const std::vector<uint32_t>& writes, bool begins_line = true) {
  return turn_ends({bytes, begins_line, writes});
}

TEST(TurnEnds, LinesOfOneWrite_EndWithTheirTurn) { EXPECT_THAT(ends_of("a\nb\nc\n", {2, 1}), ElementsAre(4, 6)); }

TEST(TurnEnds, LinesOfTwoWritesAsInPython_EndWithTheirTurn) {
  EXPECT_THAT(ends_of("a\nb\nc\n", {2, 4}), ElementsAre(2, 6));
  EXPECT_THAT(ends_of("a\nb\nc\nd\n", {4, 4}), ElementsAre(4, 8));
}

TEST(TurnEnds, WarningsThenATraceback_TheTracebackIsInTheLastTurn) {
  EXPECT_THAT(ends_of("w1\nw2\nTraceback\n File\n  raise\n^^^\nError\n", {2, 2, 9}), ElementsAre(3, 6, 40));
  EXPECT_THAT(ends_of("w1\nTraceback\n File\n  raise\nError\n", {1, 1}), ElementsAre(3, 33));
}

// The total of the writes is a multiple of the number of lines by chance.
TEST(TurnEnds, TracebackWhoseWritesFitTheTotal_IsInTheLastTurn) {
  const std::string traceback = "Traceback\n File\n  raise\nError\n";
  EXPECT_THAT(ends_of("w1\nw2\nw3\n" + traceback, {4, 4, 4, 9}), ElementsAre(3, 6, 9, 9 + traceback.size()));
  EXPECT_THAT(ends_of("w1\nTraceback\n File\n", {4, 2}), ElementsAre(3, 19));
}

TEST(TurnEnds, ALineCutAndTurnsOfTenLines_CountTheWritesOfALine) {
  std::string bytes = " 0\n";
  for (int i = 1; i < 40; ++i) bytes += "x" + std::to_string(i % 10) + "\n";
  EXPECT_THAT(ends_of(bytes, {2, 40, 40, 40, 36}, false), ElementsAre(3, 33, 63, 93, 120));
}

TEST(TurnEnds, ALineCutBetweenLooks_CountsItsOtherWrites) {
  EXPECT_THAT(ends_of("\nb\nc\nd\ne", {3, 5}, false), ElementsAre(3, 8));
}

TEST(TurnEnds, NoLines_AllIsInTheLastTurn) {
  EXPECT_THAT(ends_of(" 1 % 2 % 3 %", {1, 2}), testing::SizeIs(2));
  EXPECT_EQ(ends_of(" 1 % 2 % 3 %", {1, 2}).back(), 12u);
  EXPECT_THAT(ends_of("", {}), testing::IsEmpty());
}

}  // namespace
}  // namespace muster
