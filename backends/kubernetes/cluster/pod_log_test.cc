// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/pod_log.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/kubernetes/cluster/numbered_ranks_test.h"
#include "core/client/follow/output_printer.h"

namespace muster {
namespace {

std::string text_of_items(const std::vector<FollowItem>& items) {
  std::string text;
  for (const FollowItem& item : items) {
    if (const auto* chunk = std::get_if<OutputChunk>(&item.item)) {
      text += std::to_string(chunk->position.index) + "@" + std::to_string(chunk->position.offset) + "<" +
              chunk->bytes + ">";
    } else {
      text += "(" + std::get<JobEvent>(item.item).sentence + ")";
    }
  }
  return text;
}

TEST(PodLog, LinesOfRanks_AreTheirs_AndTheRestIsMusters) {
  PodLog log(job_of_ranks(11));
  EXPECT_EQ(text_of_items(log.take("[0]  epoch 1\n[10]  two blanks\nhello  restarting\n[0]  ep")),
            "0@0<epoch 1\n>10@0< two blanks\n>(hello  restarting)");
  EXPECT_EQ(text_of_items(log.take("och 2\n[99] x\n")), "0@8<epoch 2\n>([99] x)");
  EXPECT_EQ(text_of_items(log.rest()), "");
}

TEST(PodLog, AttemptsAndStreams_AreToldApart) {
  PodLog log(job_of_ranks(11));
  const auto items = log.take("[3]  a\n[3 err] b\n[3 #2] c\n[10 #12 err]  d\n[3 setup] e\nmuster-record 1/1 abc\n");
  ASSERT_EQ(items.size(), 5u);
  const auto at = [&](size_t i) { return std::get<OutputChunk>(items[i].item).position; };
  EXPECT_EQ(at(0), (OutputPosition{1, 3, OutputStream::out, 0}));
  EXPECT_EQ(at(1), (OutputPosition{1, 3, OutputStream::err, 0}));
  EXPECT_EQ(at(2), (OutputPosition{2, 3, OutputStream::out, 0}));
  EXPECT_EQ(at(3), (OutputPosition{12, 10, OutputStream::err, 0}));
  EXPECT_EQ(at(4), (OutputPosition{1, 3, OutputStream::setup, 0}));
  EXPECT_EQ(text_of_items(items), "3@0<a\n>3@0<b\n>3@0<c\n>10@0< d\n>3@0<e\n>");
}

// Everything that the coordinator's OutputPrinter writes is read back.
TEST(PodLog, ReadsWhatTheCoordinatorPrints) {
  for (const uint32_t ranks : {1U, 11U}) {
    RecordingScreen screen;
    OutputPrinter printer(screen, {}, {}, {.marks = true});
    printer.set_ranks(job_of_ranks(ranks).ranks);
    std::vector<OutputChunk> chunks;
    for (const Attempt attempt : {1U, 2U, 10U}) {
      for (const auto stream : {OutputStream::out, OutputStream::err, OutputStream::setup})
        chunks.push_back({{attempt, ranks - 1, stream, 0}, "  [0] blanks and brackets\n"});
    }
    for (const OutputChunk& chunk : chunks) printer.print(chunk);
    printer.flush();
    PodLog log(job_of_ranks(ranks));
    std::vector<OutputChunk> back;
    for (const std::string& text : {screen.out_text, screen.err_text}) {
      for (const FollowItem& item : log.take(text)) back.push_back(std::get<OutputChunk>(item.item));
    }
    EXPECT_TRUE(std::is_permutation(back.begin(), back.end(), chunks.begin(), chunks.end()))
        << screen.out_text << screen.err_text;
  }
}

}  // namespace
}  // namespace muster
