// SPDX-License-Identifier: Apache-2.0
#include "core/output/order_cursor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/output/fake_output_test.h"
#include "core/output/output_reader.h"
#include "core/output/time_index.h"

namespace muster {
namespace {

using testing::ElementsAre;

// A rank whose files and order the test writes, and a reader of it.
class OrderCursorTest : public testing::Test {
 protected:
  static TimePoint at(int64_t second) { return from_unix_nanos(second); }
  // One look: the streams took turns, each with these bytes.
  void look(OutputStream first, const std::vector<std::string>& turns, bool recorded = true) {
    OutputStream stream = first;
    ++second_;
    for (const std::string& bytes : turns) {
      output_.files[stream == OutputStream::out ? "1/r.out" : "1/r.err"].bytes += bytes;
      stream = stream == OutputStream::out ? OutputStream::err : OutputStream::out;
      if (recorded) record();
    }
  }
  void record() {
    output_.files["1/r.order"].bytes += encode_sizes({at(second_), output_.size("1/r.out"), output_.size("1/r.err")});
  }
  OutputReader reader(bool in_place = false, bool times = false) {
    OutputReader reader(output_, in_place, times);
    reader.add({1, 0, OutputStream::out, "1/r.out", {}});
    reader.add({1, 0, OutputStream::err, "1/r.err", {}});
    return reader;
  }
  // What a viewer sees of both streams.
  std::string shown(OutputReader& reader) {
    std::string text;
    for (OutputRead read = reader.next(); read.kind != OutputRead::Kind::drained; read = reader.next()) {
      if (read.kind == OutputRead::Kind::chunk) text += read.chunk.bytes;
      if (read.kind == OutputRead::Kind::span)
        text += output_.read(read.span.path, read.span.position.offset, read.span.length).value();
    }
    return text;
  }
  std::string shown_at_the_end() {
    OutputReader ended = reader();
    ended.end(1, {0});
    const std::string text = shown(ended);
    EXPECT_TRUE(ended.finished());
    return text;
  }

  FakeOutput output_;
  int64_t second_ = 0;
};

constexpr OutputStream kStdout = OutputStream::out;
constexpr OutputStream kStderr = OutputStream::err;

TEST_F(OrderCursorTest, Reader_TracebackAfterPrints_ComesAfterThem) {
  record();
  look(kStderr, {"warning\n"});
  look(kStdout, {"step 1\n"});
  look(kStdout, {"step 2\n", "Traceback\n  line\n"});
  EXPECT_EQ(shown_at_the_end(), "warning\nstep 1\nstep 2\nTraceback\n  line\n");
  OutputReader spans = reader(true);
  spans.end(1, {0});
  EXPECT_EQ(shown(spans), "warning\nstep 1\nstep 2\nTraceback\n  line\n");
}

TEST_F(OrderCursorTest, Reader_StreamsTakeTurns_ComeInTurns) {
  record();
  look(kStderr, {"e1\n", "o1\n", "e2\n", "o2\no3\n", "e3\ne4\n"});
  EXPECT_EQ(shown_at_the_end(), "e1\no1\ne2\no2\no3\ne3\ne4\n");
}

TEST_F(OrderCursorTest, Reader_WithoutAnOrderFile_StreamsTakeTurns) {
  look(kStderr, {"e\n", "o\n"}, false);
  EXPECT_EQ(shown_at_the_end(), "o\ne\n");
}

TEST_F(OrderCursorTest, Reader_OrderEndsEarly_TheRestIsShownAnyway) {
  record();
  look(kStderr, {"e1\n", "o1\n"});
  look(kStderr, {"e2\n", "o2\n"}, false);
  EXPECT_EQ(shown_at_the_end().substr(0, 6), "e1\no1\n");
  EXPECT_EQ(shown_at_the_end().size(), 12u);
}

TEST_F(OrderCursorTest, Reader_OrderNotRecordedYet_WaitsForIt) {
  record();
  OutputReader live = reader();
  look(kStderr, {"e\n", "o\n"}, false);
  EXPECT_EQ(shown(live), "");
  EXPECT_TRUE(live.waits_for_order());
  output_.files["1/r.order"].bytes += encode_sizes({at(1), 0, 2}) + encode_sizes({at(1), 2, 2});
  live.changed(1, {"1/r.order"});
  EXPECT_EQ(shown(live), "e\no\n");
  EXPECT_FALSE(live.waits_for_order());
}

TEST_F(OrderCursorTest, Reader_OneStreamGrows_ShowsNothingBeyondTheRecord) {
  record();
  OutputReader live = reader();
  look(kStdout, {"step 1\n"});
  look(kStdout, {"step"}, false);
  live.changed(1);
  EXPECT_EQ(shown(live), "step 1\n");
  EXPECT_TRUE(live.waits_for_order());
  output_.files["1/r.out"].bytes += " 2\n";
  output_.files["1/r.err"].bytes = "warning\n";
  output_.files["1/r.order"].bytes += encode_sizes({at(1), 7, 8}) + encode_sizes({at(1), 14, 8});
  live.changed(1, {"1/r.order"});
  EXPECT_EQ(shown(live), "warning\nstep 2\n");
}

TEST_F(OrderCursorTest, Reader_ViewerOfOneStream_WaitsForNoRecord) {
  record();
  OutputReader live(output_);
  live.add({1, 0, kStderr, "1/r.err", {}});
  look(kStderr, {"e\n", "o\n"}, false);
  EXPECT_EQ(shown(live), "e\n");
  EXPECT_FALSE(live.waits_for_order());
}

TEST_F(OrderCursorTest, Reader_OrderStaysAway_ShowsTheBytesAfterTwoTries) {
  record();
  OutputReader live = reader();
  look(kStderr, {"e\n", "o\n"}, false);
  EXPECT_EQ(shown(live), "");
  live.lose_patience();
  EXPECT_EQ(shown(live), "");
  live.lose_patience();
  EXPECT_EQ(shown(live), "o\ne\n");
  // From now on nothing is waited for, until the order is known again.
  look(kStderr, {"e\n", "o\n"}, false);
  live.changed(1);
  EXPECT_EQ(shown(live).size(), 4u);
  record();
  look(kStderr, {"e\n", "o\n"});
  live.changed(1);
  EXPECT_EQ(shown(live), "e\no\n");
}

TEST_F(OrderCursorTest, Reader_ViewerReturns_ContinuesInOrder) {
  record();
  for (int i = 0; i < 100; ++i) look(i % 3 == 0 ? kStderr : kStdout, {"a\n", "b\n"});
  std::string whole;
  const std::string expected = shown_at_the_end();
  OutputReader first = reader();
  std::map<OutputStream, uint64_t> reached;
  for (int i = 0; i < 30; ++i) {
    const OutputRead read = first.next();
    whole += read.chunk.bytes;
    if (read.kind == OutputRead::Kind::chunk)
      reached[read.chunk.position.stream] = read.chunk.position.offset + read.chunk.bytes.size();
  }
  OutputReader second(output_);
  second.add({1, 0, kStdout, "1/r.out", {.offset = reached[kStdout]}});
  second.add({1, 0, kStderr, "1/r.err", {.offset = reached[kStderr]}});
  EXPECT_EQ(whole + shown(second), expected);
}

TEST_F(OrderCursorTest, Reader_OldestRecordsDropped_TheirBytesComeStdoutFirst) {
  record();
  look(kStderr, {"e1\n", "o1\n"});
  look(kStderr, {"e2\n", "o2\n"});
  output_.files["1/r.order"].kept = 4 * kSizesBytes;
  look(kStderr, {"e3\n", "o3\n"});
  EXPECT_EQ(shown_at_the_end(), "o1\no2\ne1\ne2\ne3\no3\n");
}

TEST_F(OrderCursorTest, Reader_WithTimes_EachPieceSaysWhen) {
  record();
  look(kStdout, {"a\n"});
  look(kStdout, {"b\n"});
  look(kStderr, {"c\n"});
  OutputReader timed = reader(false, true);
  std::vector<std::string> found;
  for (OutputRead read = timed.next(); read.kind != OutputRead::Kind::drained; read = timed.next()) {
    if (read.kind == OutputRead::Kind::chunk)
      found.push_back(std::to_string(to_unix_nanos(read.chunk.time)) + " " + read.chunk.bytes);
  }
  EXPECT_THAT(found, ElementsAre("1 a\n", "2 b\n", "3 c\n"));
}

TEST_F(OrderCursorTest, Reader_WithTimesButNoOrder_TakesThoseOfTheTimeIndex) {
  look(kStdout, {"a\nb\n", "c\n"}, false);
  output_.files["1/r.times"].bytes = encode_sizes({at(10), 2, 0}) + encode_sizes({at(20), 4, 2});
  OutputReader timed = reader(false, true);
  timed.end(1, {0});
  std::vector<std::string> found;
  for (OutputRead read = timed.next(); read.kind != OutputRead::Kind::drained; read = timed.next()) {
    if (read.kind == OutputRead::Kind::chunk)
      found.push_back(std::to_string(to_unix_nanos(read.chunk.time)) + " " + read.chunk.bytes);
  }
  EXPECT_THAT(found, testing::UnorderedElementsAre("10 a\n", "20 b\n", "20 c\n"));
}

TEST_F(OrderCursorTest, Next_SameStreamInManyRecords_IsOnePiece) {
  record();
  for (int i = 0; i < 50; ++i) look(kStdout, {"0123456789\n"});
  look(kStderr, {"e\n"});
  OutputReader spans = reader(true);
  OutputRead read = spans.next();
  EXPECT_EQ(read.span.length, 550u);
}

// Whatever the order file says, no byte is lost, doubled or moved within its stream.
TEST_F(OrderCursorTest, Reader_AnyOrderFile_ShowsEveryByteOnce) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    output_.files.clear();
    OutputReader live = reader(seed % 2 == 0, seed % 3 == 0);
    std::map<OutputStream, std::string> got;
    const auto take = [&] {
      for (OutputRead read = live.next(); read.kind != OutputRead::Kind::drained; read = live.next()) {
        if (read.kind == OutputRead::Kind::working) continue;
        std::string bytes = read.kind == OutputRead::Kind::span
                                ? output_.read(read.span.path, read.span.position.offset, read.span.length).value()
                                : read.chunk.bytes;
        EXPECT_EQ(read.position().offset, got[read.position().stream].size());
        got[read.position().stream] += bytes;
      }
    };
    for (int step = 0; step < 30; ++step) {
      std::vector<std::string> turns(random.below(5));
      for (std::string& bytes : turns) bytes = std::string(random.below(9), 'x') + (random.below(2) == 0 ? "\n" : "");
      look(random.below(2) == 0 ? kStdout : kStderr, turns, random.below(3) > 0);
      if (random.below(5) == 0) {
        std::string noise(random.below(40), '\0');
        for (char& byte : noise) byte = static_cast<char>(random.below(256));
        output_.files["1/r.order"].bytes += noise;
      }
      live.changed(1);
      take();
      if (random.below(4) == 0) live.lose_patience();
    }
    live.end(1, {0});
    take();
    EXPECT_TRUE(live.finished());
    EXPECT_EQ(got[kStdout], output_.files["1/r.out"].bytes) << "seed " << seed;
    EXPECT_EQ(got[kStderr], output_.files["1/r.err"].bytes) << "seed " << seed;
  }
}

}  // namespace
}  // namespace muster
