// SPDX-License-Identifier: Apache-2.0
#include "core/node/warm/warm_plan.h"

#include <gtest/gtest.h>

#include "core/system/linux/process/process_host_fixture.h"

namespace muster {
namespace {

class WarmPlanTest : public FolderTest {
 protected:
  WarmPlanTest() { std::ofstream(folder_ + "/train.py") << "import torch\n"; }

  SpawnRequest rank(const std::string& number, std::vector<std::string> arguments = {}) {
    SpawnRequest request;
    request.argv = {"python3", "-u", "train.py"};
    request.argv.insert(request.argv.end(), arguments.begin(), arguments.end());
    request.environment = {"HOME=/", "OMP_NUM_THREADS=1", "RANK=" + number, "MUSTER_INDEX=" + number};
    request.workdir = folder_;
    request.stdout_path = folder_ + "/out";
    request.stderr_path = folder_ + "/err";
    return request;
  }
  WarmTask task() { return {{}, true, true, {"RANK", "MASTER_PORT", "OMP_NUM_THREADS"}}; }
};

TEST_F(WarmPlanTest, TheParentHasWhatTheRanksShareAndNoPlace) {
  const auto plan = warm_plan({rank("0")}, task());
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->parent.environment, (std::vector<std::string>{"HOME=/", "OMP_NUM_THREADS=1"}));
  EXPECT_EQ(plan->file, folder_ + "/train.py");
  EXPECT_EQ(plan->path0, folder_);
  EXPECT_TRUE(plan->parent.stdout_path.empty());
}

TEST_F(WarmPlanTest, RanksFitWhenTheyDifferByTheirPlaceOnly) {
  const auto plan = warm_plan({rank("0"), rank("1")}, task());
  ASSERT_TRUE(plan);
  EXPECT_TRUE(fits(*plan, rank("7", {"--local_rank=7"}), task()));
  EXPECT_FALSE(fits(*plan, rank("7", {"--lr", "7"}), task()));
  SpawnRequest next = rank("0");
  next.environment.push_back("MASTER_PORT=20001");
  EXPECT_TRUE(fits(*plan, next, task()));

  next.environment.push_back("SSH_TTY=/dev/pts/3");
  EXPECT_TRUE(fits(*plan, next, task())) << "a variable of the terminal";

  SpawnRequest other = rank("0");
  other.environment[0] = "HOME=/root";
  EXPECT_FALSE(fits(*plan, other, task())) << "a variable of the user's own";
  other = rank("0");
  other.environment.push_back("DEBUG=1");
  EXPECT_FALSE(fits(*plan, other, task())) << "an additional variable";
  other = rank("0");
  other.environment[1] = "OMP_NUM_THREADS=4";
  EXPECT_FALSE(fits(*plan, other, task())) << "a variable that is read when a library is loaded";
  other = rank("0");
  other.argv[2] = "eval.py";
  EXPECT_FALSE(fits(*plan, other, task()));
  other = rank("0");
  other.workdir = "/";
  EXPECT_FALSE(fits(*plan, other, task()));
  other = rank("0");
  other.tty = true;
  EXPECT_FALSE(fits(*plan, other, task()));
  other = rank("0");
  other.cpus = {0};
  EXPECT_FALSE(fits(*plan, other, task()));
  other = rank("0");
  other.settings.umask = 0;
  EXPECT_FALSE(fits(*plan, other, task()));
}

TEST_F(WarmPlanTest, SomeCommandsAreNotKeptWarm) {
  const auto with = [&](std::vector<std::string> argv) {
    SpawnRequest request = rank("0");
    request.argv = std::move(argv);
    return warm_plan({request}, task()).has_value();
  };
  EXPECT_TRUE(with({"python3", "-m", "train"}));
  EXPECT_TRUE(with({"python3", "-c", "pass"}));
  EXPECT_FALSE(with({"python3", "absent.py"}));
  EXPECT_FALSE(with({"python3", "."})) << "a folder";
  EXPECT_FALSE(with({"python3", "-I", "train.py"})) << "-I skips the hook";
  EXPECT_FALSE(with({"python3", "-i", "train.py"}));
  EXPECT_FALSE(with({"pypy3", "train.py"}));
  EXPECT_FALSE(with({"bash", "train.py"}));
  EXPECT_FALSE(warm_plan({}, task()));
  SpawnRequest inspecting = rank("0");
  inspecting.environment.push_back("PYTHONINSPECT=1");
  EXPECT_FALSE(warm_plan({inspecting}, task()));
}

TEST_F(WarmPlanTest, TheKeyNamesAllThatDecidesWhatIsImported) {
  const auto key = [&](const SpawnRequest& request) { return warm_plan({request}, task())->key(); };
  const std::string first = key(rank("0", {"--lr", "1"}));
  EXPECT_EQ(key(rank("1", {"--lr", "1"})), first);
  EXPECT_EQ(key(rank("1", {"--lr", "1", "--local_rank=1"})), first) << "only --local_rank differs";
  EXPECT_NE(key(rank("0", {"--lr", "2"})), first) << "the program may import other things";
  SpawnRequest other = rank("0", {"--lr", "1"});
  other.argv[0] = "/usr/bin/python3";
  EXPECT_NE(key(other), first);
  other = rank("0", {"--lr", "1"});
  other.environment.push_back("USE_JAX=1");
  EXPECT_NE(key(other), first);
  std::ofstream(folder_ + "/train.py") << "import os\nos.environ['X'] = '1'\nimport torch\n";
  EXPECT_NE(key(rank("0", {"--lr", "1"})), first) << "the program now does something before it imports";
}

TEST_F(WarmPlanTest, AFolderThatIsALinkMeansWhatItPointsTo) {
  std::filesystem::create_directories(folder_ + "/one");
  std::filesystem::create_directories(folder_ + "/two");
  for (const char* each : {"/one/train.py", "/two/train.py"}) std::ofstream(folder_ + each) << "import torch\n";
  SpawnRequest request = rank("0");
  request.workdir = folder_ + "/now";
  std::filesystem::create_directory_symlink(folder_ + "/one", request.workdir);
  const std::string before = warm_plan({request}, task())->identity;
  std::filesystem::remove(request.workdir);
  std::filesystem::create_directory_symlink(folder_ + "/two", request.workdir);
  EXPECT_NE(warm_plan({request}, task())->identity, before);
}

TEST_F(WarmPlanTest, AScriptThatPicksAnInterpreterIsExecuted) {
  std::ofstream(folder_ + "/python3") << "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n";
  std::filesystem::permissions(folder_ + "/python3", std::filesystem::perms::owner_all);
  SpawnRequest request = rank("0");
  request.argv[0] = "./python3";
  EXPECT_FALSE(warm_plan({request}, task()));
}

TEST_F(WarmPlanTest, RanksWhoseThreadsArePlacedOnTheirOwnCpusAreExecuted) {
  SpawnRequest request = rank("0");
  request.cpus = {0, 1};
  EXPECT_TRUE(warm_plan({request}, task()));
  request.environment.push_back("OMP_PROC_BIND=close");
  EXPECT_FALSE(warm_plan({request}, task()));
  request.cpus.clear();
  EXPECT_TRUE(warm_plan({request}, task())) << "without CPUs of its own";
}

TEST(WarmImports, OnlyLongImportsAreWorthAnInterpreter) {
  EXPECT_TRUE(imports_much("import os\nimport torch.nn as nn\n"));
  EXPECT_TRUE(imports_much("def main():\n    from transformers import Trainer\n"));
  EXPECT_FALSE(imports_much("import os, sys\nfrom torchlike import x\n# import torch\n"));
  EXPECT_FALSE(imports_much(""));
}

}  // namespace
}  // namespace muster
