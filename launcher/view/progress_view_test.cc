// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/progress_view.h"

#include <gtest/gtest.h>

#include <cmath>

namespace muster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const JobProgress half{{12000, 24000, {{"loss", 0.41234}}}, milliseconds(1920), seconds(23040)};
const JobProgress endless{{7, 0, {}}, {}, {}};

TEST(ProgressView, PsShowsStepAndEta) {
  EXPECT_EQ(step_of(half), "12,000 50 %");
  EXPECT_EQ(eta_of(half), "6 h 24 min");
  EXPECT_EQ(step_of(endless), "7");
  EXPECT_EQ(eta_of(endless), "–");
}

TEST(ProgressView, DescribeTellsAll) {
  EXPECT_EQ(progress_sentence(half, false), "step 12,000 of 24,000 (50 %) · 1.9 s/step · eta 6 h 24 min · loss 0.4123");
  EXPECT_EQ(progress_sentence(half, true), "step 12,000 of 24,000 (50 %) · 1.9 s/step · loss 0.4123");
  EXPECT_EQ(progress_sentence(endless, false), "step 7");
}

TEST(ProgressView, TheLineFitsTheTerminal) {
  const std::string line = progress_line(half, {3, 2, 1}, Style{.columns = 120});
  EXPECT_EQ(line, "step 12,000 of 24,000  50 %  ██████████            eta 6 h 24 min   loss 0.4123 █▅▁");
  EXPECT_LT(display_width(progress_line(half, {3, 2, 1}, Style{.columns = 40})), 40U);
}

TEST(ProgressView, StepsBeyondTheTotalFillTheBarAndNoMore) {
  const JobProgress beyond{{30, 10, {}}, {}, {}};
  EXPECT_EQ(step_of(beyond), "30 100 %");
  EXPECT_LT(display_width(progress_line(beyond, {}, Style{.columns = 120})), 50U);
}

TEST(ProgressView, SparksShowTheLatestThatAreNumbers) {
  EXPECT_EQ(sparkline({9, 1, 2, 3}, 3), "▁▅█");
  EXPECT_EQ(sparkline({1}, 3), "");
  EXPECT_EQ(sparkline({5, 5, 5}, 3), "▁▁▁");
  EXPECT_EQ(sparkline({std::nan(""), 1, INFINITY, 2}, 4), "▁█");
}

}  // namespace
}  // namespace muster
