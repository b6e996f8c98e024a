// SPDX-License-Identifier: Apache-2.0
#include "core/client/follow/output_printer.h"

#include <gtest/gtest.h>

#include "core/client/follow/follow_fakes.h"

namespace muster {
namespace {

TEST(OutputPrinter, OneRank_BytesAsTheyAre) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {});
  printer.set_ranks(view_of(1).ranks);
  printer.print(chunk_of(0, 0, std::string("a\0\xff\rb", 5)));
  printer.print(chunk_of(0, 5, "c\n", 1, OutputStream::err));
  printer.flush();
  EXPECT_EQ(screen.out_text, std::string("a\0\xff\rb", 5));
  EXPECT_EQ(screen.err_text, "c\n");
}

TEST(OutputPrinter, ManyRanks_LinesWithPrefixes) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {});
  printer.set_ranks(view_of(11).ranks);
  printer.print(chunk_of(0, 0, "epoch"));
  printer.print(chunk_of(10, 0, "one\ntwo\n"));
  printer.print(chunk_of(0, 5, " 1\n"));
  printer.print(chunk_of(3, 0, "warn\n", 1, OutputStream::err));
  EXPECT_EQ(screen.out_text, "[10] one\n[10] two\n[0]  epoch 1\n");
  EXPECT_EQ(screen.err_text, "[3]  warn\n");
}

TEST(OutputPrinter, ALineWithoutItsEnd_IsShownAtTheEnd) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(1, 0, "half"));
  EXPECT_EQ(screen.out_text, "");
  printer.flush();
  EXPECT_EQ(screen.out_text, "[1] half\n");
}

TEST(OutputPrinter, WhatWasDroppedInBetween_JoinsNoLines) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(1, 100, "one\nhalf"));
  printer.print(chunk_of(1, 5000, "new\n"));
  EXPECT_EQ(screen.out_text, "[1] one\n[1] half\n[1] new\n");
}

TEST(OutputPrinter, ANewAttempt_EndsTheLinesOfTheOld) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(1, 0, "half"));
  printer.print(chunk_of(1, 0, "new\n", 2));
  EXPECT_EQ(screen.out_text, "[1] half\n[1] new\n");
}

TEST(OutputPrinter, ANewAttemptOfAGroup_LeavesTheLinesOfAnotherWhole) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {});
  JobView view = view_of(2);
  view.ranks[0].group = "evaluator";
  view.ranks[1].group = "trainer";
  printer.set_ranks(view.ranks);
  printer.print(chunk_of(0, 0, "half "));
  printer.print(chunk_of(1, 0, "half"));
  printer.print(chunk_of(1, 0, "new\n", 2));
  printer.print(chunk_of(0, 5, "whole\n"));
  EXPECT_EQ(screen.out_text, "[1] half\n[1] new\n[0] half whole\n");
}

TEST(OutputPrinter, OnATerminal_ProgressBarsAreDrawnAnew) {
  RecordingScreen screen;
  const Style terminal{.terminal = true, .columns = 24};
  OutputPrinter printer(screen, terminal, terminal, {});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(0, 0, "\r10 % of a very long bar"));
  printer.print(chunk_of(1, 0, "done\n"));
  EXPECT_EQ(screen.out_text, "[0] 10 % of a very lon…[1] done\n");
  EXPECT_EQ(screen.err_text, "\r\x1b[K");
}

TEST(OutputPrinter, EndAttempts_BarOfADeadAttempt_IsDrawnBeforeAndNotAfter) {
  RecordingScreen screen;
  const Style terminal{.terminal = true, .columns = 80};
  OutputPrinter printer(screen, terminal, terminal, {});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(0, 0, "\r10 %\r20 %"));
  printer.end_attempts();
  EXPECT_EQ(screen.out_text, "[0] 20 %[0] 20 %\n") << "drawn, and then kept as a line";
  screen.out_text.clear();
  printer.print(chunk_of(0, 11, "\r30 %\r40 %"));
  printer.print(chunk_of(1, 0, "Traceback\ncause"));
  printer.print(chunk_of(1, 0, "\r 1 %", 2));
  EXPECT_EQ(screen.out_text, "[1] Traceback\n[1] cause\n[1]  1 %");
}

TEST(OutputPrinter, AfterColoursOfARank_MustersWordsArePlain) {
  RecordingScreen screen;
  const Style terminal{.terminal = true};
  OutputPrinter printer(screen, terminal, terminal, {});
  printer.set_ranks(view_of(1).ranks);
  printer.print(chunk_of(0, 0, "plain\n"));
  printer.make_room();
  EXPECT_EQ(screen.err_text, "");
  printer.print(chunk_of(0, 6, "\x1b[41m red\n"));
  printer.make_room();
  printer.make_room();
  EXPECT_EQ(screen.err_text, "\x1b[0m\x0f");
}

TEST(OutputPrinter, StreamsAndPrefixAreAChoice) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {.prefix = false, .err = false});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(1, 0, "out\n"));
  printer.print(chunk_of(1, 0, "err\n", 1, OutputStream::err));
  EXPECT_EQ(screen.out_text, "out\n");
  EXPECT_EQ(screen.err_text, "");
}

TEST(OutputPrinter, WithoutPrefix_LinesOfManyRanksStayWhole) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {.prefix = false});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(0, 0, "one\ntw"));
  printer.print(chunk_of(1, 0, "other\n"));
  printer.print(chunk_of(0, 6, "o\n"));
  EXPECT_EQ(screen.out_text, "one\nother\ntwo\n");
}

TEST(OutputPrinter, AllToStdout_StderrOfRanksIsInStdoutInOrder) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {.all_to_stdout = true});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(1, 0, "step\n"));
  printer.print(chunk_of(1, 0, "Traceback\n", 1, OutputStream::err));
  printer.print(chunk_of(0, 0, "set up\n", 1, OutputStream::setup));
  EXPECT_EQ(screen.out_text, "[1] step\n[1] Traceback\n[setup@here] set up\n");
  EXPECT_EQ(screen.err_text, "");
}

TEST(OutputPrinter, Times_EachLineBeginsWithItsTime) {
  const auto timed = [](OutputChunk chunk, int64_t seconds) {
    chunk.time = from_unix_nanos(0) + std::chrono::seconds(seconds);
    return chunk;
  };
  for (const size_t ranks : {1, 2}) {
    RecordingScreen screen;
    OutputPrinter printer(screen, {}, {}, {.times = true});
    printer.set_ranks(view_of(ranks).ranks);
    printer.print(timed(chunk_of(0, 0, "one\ntw"), 1));
    printer.print(timed(chunk_of(0, 6, "o\n"), 2));
    printer.print(chunk_of(0, 8, "three"));
    printer.flush();
    const std::string label = ranks == 1 ? "" : "[0] ";
    EXPECT_EQ(screen.out_text, "1970-01-01T00:00:01.000Z " + label + "one\n1970-01-01T00:00:02.000Z " + label +
                                   "two\n- " + label + "three\n");
  }
}

TEST(OutputPrinter, TheRankWithATerminal_IsNeverTouched) {
  RecordingScreen screen;
  OutputPrinter printer(screen, {}, {}, {.raw_rank = 1});
  printer.set_ranks(view_of(2).ranks);
  printer.print(chunk_of(1, 0, ">>> "));
  printer.print(chunk_of(0, 0, "x\n"));
  EXPECT_EQ(screen.out_text, ">>> [0] x\n");
}

TEST(RankLabel, NamesRanksAsPeopleDo) {
  EXPECT_EQ(rank_label("rank 3"), "[3]");
  EXPECT_EQ(rank_label("trainer 0"), "[trainer 0]");
}

TEST(WithoutColours, LeavesTheWords) { EXPECT_EQ(without_colours("\x1b[31mred\x1b[0m word"), "red word"); }

}  // namespace
}  // namespace muster
