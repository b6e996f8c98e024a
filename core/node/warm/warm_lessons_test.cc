// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_lessons.h"

#include <gtest/gtest.h>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

using Names = std::vector<std::string>;

class WarmLessonsTest : public FolderTest {
 protected:
  WarmLessons lessons(const std::string& identity = "train.py") {
    WarmPlan plan;
    plan.identity = identity;
    plan.interpreter = "/usr/bin/python3";
    return {folder_ + "/imports", plan};
  }
  void note(const std::string& lines) { std::ofstream(lessons().path(), std::ios::app) << lines; }
};

TEST_F(WarmLessonsTest, NamesComeOnceAndInTheirOrder) {
  note("torch\nnumpy\n\n");
  note("torch\nabsent\n-absent\nnumpy.linalg\nabsent\n");
  EXPECT_EQ(lessons().imports(), (Names{"torch", "numpy", "numpy.linalg"})) << "without the failed import";
  EXPECT_EQ(lessons("eval.py").imports(), Names());
}

TEST_F(WarmLessonsTest, AFileOfTheProgramThatChangedMakesThemWorthless) {
  std::ofstream(folder_ + "/tools.py") << "import torch\n";
  struct stat now {};
  ASSERT_EQ(stat((folder_ + "/tools.py").c_str(), &now), 0);
  const int64_t nanos = int64_t{now.st_mtim.tv_sec} * 1'000'000'000 + now.st_mtim.tv_nsec;
  note("torch\n=" + folder_ + "/tools.py\t" + std::to_string(nanos) + "\t" + std::to_string(now.st_size) + "\n");
  EXPECT_TRUE(lessons().valid());
  EXPECT_EQ(lessons().imports(), Names{"torch"});
  std::ofstream(folder_ + "/tools.py") << "import os\nos.environ['X'] = '1'\nimport torch\n";
  EXPECT_FALSE(lessons().valid());
  EXPECT_EQ(lessons().imports(), Names());
  EXPECT_TRUE(lessons().valid()) << "the outdated file has been removed";
}

TEST_F(WarmLessonsTest, WhatAPackageDoesIsKnownToAllProgramsOfAnInterpreter) {
  EXPECT_TRUE(lessons().avoid({"lightning", "lightning.fabric"}));
  EXPECT_FALSE(lessons("eval.py").avoid({"lightning"})) << "already known";
  EXPECT_EQ(lessons("eval.py").avoided(), (std::set<std::string>{"lightning", "lightning.fabric"}));
  note("lightning\ntorch\n");
  EXPECT_EQ(lessons().imports(), Names{"torch"});
}

TEST_F(WarmLessonsTest, WhatAPackagePreparesForItsImportsIsMissingWithoutIt) {
  note("jax\njaxlib\tjax\nnumpy\nscipy\tnumpy\tjax\n");
  EXPECT_EQ(lessons().imports(), (Names{"jax", "jaxlib", "numpy", "scipy"}));
  lessons().avoid({"jax"});
  EXPECT_EQ(lessons().imports(), Names{"numpy"});
}

TEST_F(WarmLessonsTest, ARefusalHoldsForItsProgram) {
  EXPECT_FALSE(lessons().refused());
  lessons().refuse("the imports took longer than 1 min");
  EXPECT_TRUE(lessons().refused());
  EXPECT_FALSE(lessons("eval.py").refused());
}

TEST_F(WarmLessonsTest, WhereNothingCanBeWrittenItIsKnownForNow) {
  WarmPlan plan;
  WarmLessons here("/proc/nowhere", plan);
  EXPECT_TRUE(here.avoid({"lightning"}));
  EXPECT_FALSE(here.avoid({"lightning"}));
  EXPECT_EQ(here.imports(), Names());
}

}  // namespace
}  // namespace muster
