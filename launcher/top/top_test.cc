// SPDX-License-Identifier: Apache-2.0
// Keys and screens of `muster top`. test/golden/cli/top has the screens; MUSTER_REWRITE_GOLDEN=1 rewrites them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/base/text.h"
#include "launcher/top/top_pages.h"
#include "launcher/top/top_view.h"

namespace muster {
namespace {

namespace fs = std::filesystem;
using Kind = KeyPress::Kind;

TimePoint at(int64_t seconds) { return from_unix_nanos(1'763'700'000'000'000'000) + std::chrono::seconds(seconds); }

RankView rank_of(uint32_t index, uint64_t cpu, uint64_t mebibytes) {
  RankView rank;
  rank.index = index;
  rank.rank = index;
  rank.name = "rank " + std::to_string(index);
  rank.host = "ws1";
  rank.phase = RankPhase::running;
  rank.pid = 4000 + index;
  rank.gpus = {"GPU-" + std::to_string(index)};
  rank.use = RankUse{cpu, mebibytes << 20};
  return rank;
}

JobView job_of(uint64_t seed, const std::string& name, const std::string& state, int64_t submitted) {
  Random random(seed);
  JobView job;
  job.id = JobId::make(random);
  job.name = name;
  job.state = state;
  job.done = state == "succeeded" || state == "failed";
  job.backend = "local";
  job.nodes = 1;
  job.attempt = 1;
  job.submitted = at(submitted);
  job.started = job.submitted;
  return job;
}

std::vector<JobView> three() {
  JobView llm = job_of(1, "llm", "running", 0);
  llm.ranks = {rank_of(0, 1750, 3000), rank_of(1, 1012, 2900)};
  llm.ranks[1].pace = 640;
  llm.ranks[1].progress = Progress{12345, 30000, {}};
  llm.progress = JobProgress{{12345, 30000, {}}, std::chrono::seconds(2), std::chrono::hours(3)};
  llm.restarts = 1;
  JobView eval = job_of(2, "llm-eval", "queued", 200);
  eval.ranks = {rank_of(0, 0, 0)};
  eval.ranks[0].use.reset();
  eval.ranks[0].phase = RankPhase::waiting;
  eval.ranks[0].pid = 0;
  eval.waits_for = "2 GPUs: llm holds 0,1";
  JobView old = job_of(3, "sweep", "failed", 100);
  old.sentence = "failed: rank 0 exited with code 3";
  old.ended = at(150);
  return {llm, eval, old};
}

class Top : public testing::Test {
 protected:
  Top() { take_jobs(state, three()); }
  TopAction press(const std::string& bytes) {
    TopAction last;
    KeyReader reader;
    for (const KeyPress& key : reader.read(bytes)) last = take_key(state, key);
    return last;
  }
  std::string shown() const {
    std::string names;
    for (const JobView* job : shown_jobs(state)) names += job->name + " ";
    return names;
  }
  std::string chosen() const {
    const JobView* job = chosen_job(state);
    return job == nullptr ? "" : job->name;
  }
  void expect_golden(const std::string& name, uint16_t columns, size_t rows) const {
    std::string found;
    for (const std::string& line : top_screen(state, {.columns = columns, .now = at(300)}, rows)) found += line + "\n";
    const fs::path file = fs::path(MUSTER_SOURCE_DIR) / "test/golden/cli/top" / name;
    if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) {
      fs::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << found;
    }
    std::stringstream expected;
    expected << std::ifstream(file, std::ios::binary).rdbuf();
    EXPECT_EQ(found, expected.str()) << name;
  }

  TopState state;
};

TEST(Keys, AreReadFromWhatATerminalSends) {
  KeyReader reader;
  EXPECT_EQ(reader.read("q\x1b[A\x1bOB\r\x7f"),
            (std::vector<KeyPress>{{Kind::letter, 'q'}, {Kind::up}, {Kind::down}, {Kind::enter}, {Kind::backspace}}));
  EXPECT_EQ(reader.read("\x1b"), (std::vector<KeyPress>{{Kind::escape}}));
  EXPECT_EQ(reader.read("\x1b[6~\x1b[200~\x1b[1;5Cj"), (std::vector<KeyPress>{{Kind::page_down}, {Kind::letter, 'j'}}));
}

TEST_F(Top, LivingJobsComeFirstTheNewestOnTop) {
  EXPECT_EQ(shown(), "llm-eval llm sweep ");
  EXPECT_EQ(chosen(), "llm-eval");
}

TEST_F(Top, AColumnIsChosenAndTurnedRound) {
  state.sort = TopColumn::cpu;
  EXPECT_EQ(shown(), "llm llm-eval sweep ");
  press("r");
  EXPECT_EQ(shown(), "llm-eval llm sweep ");
  press(">");
  EXPECT_EQ(state.sort, TopColumn::memory);
  press("<<");
  EXPECT_EQ(state.sort, TopColumn::restarts);
}

TEST_F(Top, WhatIsChosenStaysSoWhileItIsThere) {
  press("j");
  EXPECT_EQ(chosen(), "llm");
  state.sort = TopColumn::cpu;
  std::vector<JobView> fewer = three();
  take_jobs(state, fewer);
  EXPECT_EQ(chosen(), "llm");
  fewer.erase(fewer.begin());
  take_jobs(state, fewer);
  EXPECT_EQ(chosen(), "llm-eval");
}

TEST_F(Top, AFilterIsTypedKeptAndDropped) {
  press("/sweq");
  EXPECT_EQ(shown(), "");
  press("\x7f");
  EXPECT_EQ(shown(), "sweep ");
  EXPECT_EQ(chosen(), "sweep");
  press("\r");
  EXPECT_FALSE(state.filtering);
  state.filter = "sw";
  EXPECT_FALSE(press("\x1b").quit) << "first the filter goes";
  EXPECT_EQ(state.filter, "");
  EXPECT_TRUE(press("\x1b").quit);
}

TEST_F(Top, AJobIsOpenedItsRankAndItsOutputAndBackAgain) {
  press("j");
  EXPECT_TRUE(press("\r").look);
  EXPECT_EQ(state.page, TopPage::job);
  press("j");
  EXPECT_EQ(state.rank, 1u);
  press("\r");
  EXPECT_EQ(state.page, TopPage::output);
  EXPECT_FALSE(state.all_ranks);
  press("q");
  EXPECT_EQ(state.page, TopPage::job);
  press("q");
  EXPECT_EQ(state.page, TopPage::jobs);
  press("o");
  EXPECT_TRUE(state.page == TopPage::output && state.all_ranks);
  EXPECT_FALSE(press("\x1b").quit);
  EXPECT_TRUE(press("q").quit);
}

TEST_F(Top, StoppingIsAskedFor) {
  press("x");
  EXPECT_TRUE(state.asks_stop);
  EXPECT_FALSE(press("n").stop);
  EXPECT_EQ(press("xy").stop, state.job);
  take_jobs(state, {three()[2]});
  press("x");
  EXPECT_FALSE(state.asks_stop) << "what has ended is not stopped";
}

TEST_F(Top, AnOpenJobThatIsForgottenGoesBackToTheTable) {
  press("\r");
  take_jobs(state, {three()[0]});
  EXPECT_EQ(state.page, TopPage::jobs);
  EXPECT_EQ(chosen(), "llm");
}

TEST_F(Top, LooksAsReviewed) {
  expect_golden("jobs.txt", 120, 12);
  expect_golden("jobs_narrow.txt", 60, 8);
  press("/ev");
  expect_golden("filter.txt", 100, 6);
  press("\x1bx");
  expect_golden("stop.txt", 100, 6);
  press("n?");
  expect_golden("help.txt", 100, 18);
  press("qj\r");
  state.events = {{1, at(0), "submitted", "queued", 0, "submitted"},
                  {2, at(1), "attempt", "running", 1, "running: 2 ranks on ws1"}};
  state.output = {{0, {"epoch 3 loss 0.21"}}, {1, {"epoch 3 loss 0.22", "saved"}}};
  expect_golden("job.txt", 120, 14);
  press("j\r");
  expect_golden("output.txt", 100, 8);
  press("qqo");
  expect_golden("output_all.txt", 100, 8);
  state.remark = "the controller is gone";
  take_jobs(state, {});
  expect_golden("gone.txt", 80, 6);
}

TEST_F(Top, FitsAnyTerminal) {
  for (const char* keys : {"", "\r", "o", "?", "q/x"}) {
    press(keys);
    for (size_t rows = 1; rows < 40; ++rows) {
      for (uint16_t columns = 1; columns < 140; columns = static_cast<uint16_t>(columns + 7)) {
        const auto lines = top_screen(state, {.columns = columns, .now = at(300)}, rows);
        ASSERT_LE(lines.size(), rows);
        for (const std::string& line : lines) ASSERT_LE(display_width(line), columns) << line;
      }
    }
  }
}

TEST(TopLines, AreCutWithoutTheirColours) {
  EXPECT_EQ(cut_painted("\x1b[1mabc\x1b[0m", 3), "\x1b[1mabc\x1b[0m");
  EXPECT_EQ(cut_painted("\x1b[1mabcd\x1b[0m", 3), "ab…");
  EXPECT_EQ(window({"a", "b", "c", "d"}, 3, 2), (std::vector<std::string>{"c", "d"}));
  EXPECT_EQ(window({"a", "b", "c", "d"}, 0, 2), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace muster
