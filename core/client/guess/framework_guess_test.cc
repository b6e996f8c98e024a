// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/framework_guess.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class FrameworkGuessTest : public testing::Test {
 protected:
  FrameworkGuessTest() {
    std::string pattern = (fs::temp_directory_path() / "muster-guess-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    write("work/train.py", "import torch.distributed as dist\n");
    write("work/alone.py", "import nothing_here\n");
    program("env/bin/python3", "ELF");
    program("env/bin/wrapped", "ELF");
  }
  ~FrameworkGuessTest() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  void program(const std::string& name, const std::string& text) {
    write(name, text);
    fs::permissions(folder / name, fs::perms::owner_all);
  }
  std::string why(const Words& command) {
    const std::string path = (folder / "env/bin").string() + ":/usr/bin:/bin";
    return guess_framework(command, {folder / "work", path, python_path}).why;
  }

  fs::path folder;
  std::string python_path;
  const std::string found = "train.py imports torch.distributed";
};

TEST_F(FrameworkGuessTest, ImportsOfTheScriptAndItsNeighbours_AreRead) {
  write("work/main.py", "import sys\nfrom trainer.loop import run\n");
  write("work/trainer/loop.py", "from . import data\n");
  write("work/trainer/data.py", "import accelerate\n");
  EXPECT_EQ(why({"python3", "-u", "main.py"}), "data.py imports accelerate");
  EXPECT_EQ(why({"python3", "-m", "trainer.loop"}), "data.py imports accelerate");
  EXPECT_EQ(why({"python3", "alone.py"}), "");
  EXPECT_EQ(why({"python3", "alone.py", "train.py"}), "") << "an argument of the script";
  EXPECT_EQ(why({"./main.py"}), "data.py imports accelerate");
  EXPECT_EQ(why({"python3", "-m"}), "");
  EXPECT_EQ(why({"python3", "-c", "import torch.distributed as dist; dist.init_process_group()"}),
            "the command imports torch.distributed");
  EXPECT_EQ(why({"python3", "-"}), "");
  EXPECT_EQ(why({}), "");
}

TEST_F(FrameworkGuessTest, FrameworksBesideTorch_AreFoundByWhatTheProgramUses) {
  const std::map<std::string, Framework> programs{
      {"import xgboost as xgb\nwith xgb.collective.CommunicatorContext(**place): pass\n", Framework::xgboost},
      {"from xgboost import collective\n", Framework::xgboost},
      {"import paddle\npaddle.distributed.init_parallel_env()\n", Framework::paddle},
      {"import mlx.core as mx\ngroup = mx.distributed.init()\n", Framework::mlx},
      {"import torch\nimport horovod.torch as hvd\n", Framework::horovod},
      {"import xgboost\n", Framework::any}};
  for (const auto& [text, framework] : programs)
    EXPECT_EQ(imported_framework("a.py", text).framework, framework) << text;
}

TEST_F(FrameworkGuessTest, Wrappers_AreLookedThrough) {
  const std::vector<Words> wrappers{{"env", "X=1"},
                                    {"env", "-u", "HOME", "X=1"},
                                    {"nice", "-n", "5"},
                                    {"timeout", "-s", "INT", "1h"},
                                    {"numactl", "--cpunodebind=0", "--membind=0"},
                                    {"taskset", "-c", "0-3"},
                                    {"stdbuf", "-oL"},
                                    {"time", "-v"},
                                    {"nohup"},
                                    {"wrapped", "profile", "-o", "out.rep", "--trace=cuda"},
                                    {"bash", "-c", "exec \"$@\"", "_"}};
  for (const Words& wrapper : wrappers) {
    for (const Words& program : {Words{"python3", "-u", "train.py"}, Words{"bash", "-lc", "cd . && python3 train.py"},
                                 Words{"python3", "-m", "train"}}) {
      Words command = wrapper;
      command.insert(command.end(), program.begin(), program.end());
      EXPECT_EQ(why(command), found) << wrapper[0] << " " << program[0];
    }
  }
  EXPECT_EQ(why({"wrapped", "run", "train.py"}), found) << "uv run, pixi run";
  EXPECT_EQ(why({"wrapped", "--help", "1", "2"}), "");
}

TEST_F(FrameworkGuessTest, ModulesThatRunAProgram_AreLookedThrough) {
  EXPECT_EQ(why({"python3", "-m", "runpy", "train"}), found);
  EXPECT_EQ(why({"python3", "-m", "cProfile", "-o", "out", "train.py"}), found);
  EXPECT_EQ(why({"python3", "-m", "pdb", "-m", "train"}), found);
  EXPECT_EQ(why({"python3", "-m", "torch.distributed.run", "x.py"}), "the command runs torch.distributed");
}

TEST_F(FrameworkGuessTest, ShellScripts_AreRead) {
  program("work/simple.sh", "#!/bin/bash\nset -euo pipefail\nexport X=1\nexec python3 -u train.py \"$@\"\n");
  program("work/by_variable.sh", "#!/usr/bin/env bash\nPY=python3\nSCRIPT=train.py\n$PY $SCRIPT --lr 1\n");
  program("tools/by_place.sh",
          "#!/bin/sh\nHERE=$(cd \"$(dirname \"$0\")\" && pwd)\npython3 \"$HERE/../work/train.py\"\n");
  program("work/heredoc.sh", "#!/bin/sh\npython3 - <<'EOF'\nimport torch.distributed as dist\nEOF\n");
  program("work/calls.sh", "#!/bin/sh\n./calls.sh\n. ./simple.sh\n");
  program("work/takes.sh", "#!/bin/sh\nexec \"$@\"\n");
  program("work/nothing.sh", "#!/bin/sh\necho python3\n");
  EXPECT_EQ(why({"./simple.sh"}), found);
  EXPECT_EQ(why({"bash", "-e", "simple.sh", "--lr", "1"}), found);
  EXPECT_EQ(why({"./by_variable.sh"}), found);
  EXPECT_EQ(why({"../tools/by_place.sh"}), found);
  EXPECT_EQ(why({"./heredoc.sh"}), "heredoc.sh imports torch.distributed");
  EXPECT_EQ(why({"./calls.sh"}), found);
  EXPECT_EQ(why({"./takes.sh", "python3", "train.py"}), found);
  EXPECT_EQ(why({"./nothing.sh"}), "");
}

TEST_F(FrameworkGuessTest, EntryPointsOfInstalledPackages_AreFollowed) {
  const std::string python = "#!" + (folder / "env/bin/python3").string() + "\n";
  const std::string text = "import re, sys\nfrom learner.cli import main\nsys.exit(main())\n";
  program("env/bin/learn", python + text);
  program("env/bin/long", "#!/bin/sh\n'''exec' /a/long/path/python3 \"$0\" \"$@\"\n' '''\n" + text);
  program("env/bin/other", python + "import numpy\n");
  write("env/lib/python3.12/site-packages/learner/cli.py", "import numpy\nfrom learner.loop import run\n");
  write("env/lib/python3.12/site-packages/learner/loop.py", "import lightning\n");
  write("env/lib/python3.12/site-packages/numpy/__init__.py", "import numpy.random\n");
  EXPECT_EQ(why({"learn", "--lr", "1"}), "loop.py imports lightning");
  EXPECT_EQ(why({"env", "A=b", "learn"}), "loop.py imports lightning");
  EXPECT_EQ(why({"bash", "-c", "learn --lr 1"}), "loop.py imports lightning");
  EXPECT_EQ(why({"long"}), "loop.py imports lightning");
  EXPECT_EQ(why({"python3", "-m", "learner.cli"}), "loop.py imports lightning");
  EXPECT_EQ(why({"other"}), "");
  fs::create_symlink(folder / "env/bin/learn", folder / "work/link");
  EXPECT_EQ(why({"./link"}), "loop.py imports lightning");
}

TEST_F(FrameworkGuessTest, EditablePackagesAndPythonPath_AreTheUsersFolders) {
  write("work/start.py", "from mine.run import main\n");
  EXPECT_EQ(why({"python3", "start.py"}), "");
  write("src/mine/run.py", "import torch.distributed\n");
  python_path = folder / "src";
  EXPECT_EQ(why({"python3", "start.py"}), "run.py imports torch.distributed");
  python_path = "";
  write("env/lib/python3.12/site-packages/mine.pth", (folder / "src").string() + "\n");
  EXPECT_EQ(why({"python3", "start.py"}), "run.py imports torch.distributed");
  fs::remove(folder / "env/lib/python3.12/site-packages/mine.pth");
  write("env/lib/python3.12/site-packages/__editable___mine_0_1_finder.py",
        "MAPPING: dict[str, str] = {'mine': '" + (folder / "src/mine").string() + "'}\n");
  EXPECT_EQ(why({"python3", "start.py"}), "run.py imports torch.distributed");
}

TEST(ImportedFramework, ImportsOfAFile_DecideInTheirOrder) {
  const auto guess = [](const std::string& text) {
    return std::string(to_string(imported_framework("t.py", text).framework));
  };
  EXPECT_EQ(guess("import torch.distributed as dist\n"), "torch");
  EXPECT_EQ(guess("import os, accelerate\n"), "accelerate");
  EXPECT_EQ(guess("from torch import nn, distributed as dist\n"), "torch");
  EXPECT_EQ(guess("import torch\ntorch.distributed.init_process_group()\n"), "torch");
  EXPECT_EQ(guess("from lightning import Trainer\nimport torch.distributed\n"), "lightning");
  EXPECT_EQ(guess("  import deepspeed\n"), "deepspeed");
  EXPECT_EQ(guess("from mpi4py import MPI\n"), "mpi");
  EXPECT_EQ(guess("import deepspeed\nfrom mpi4py import MPI\n"), "deepspeed");
  EXPECT_EQ(guess("from transformers import Trainer\n"), "accelerate");
  EXPECT_EQ(guess("import jax\njax.distributed.initialize()\n"), "jax");
  EXPECT_EQ(guess("import jax.numpy as jnp\n"), guess("import numpy\n"));
  EXPECT_EQ(guess("import torch\nimport jax, tensorflow\ntorch.distributed.init_process_group()\n"), "torch");
  EXPECT_EQ(guess("import torch, os\nimport tensorflow as tf\nrank = int(os.environ['RANK'])\n"), "torch");
  EXPECT_EQ(guess("import tensorflow as tf\n"), "tensorflow");
  EXPECT_EQ(
      guess("import tensorflow_datasets as tfds\nimport tensorflow as tf\nimport jax\njax.distributed.initialize()\n"),
      "jax");
  EXPECT_EQ(guess("# import deepspeed\nimport deepspeedy\n"), "any");
  EXPECT_EQ(guess(""), "any");
}

TEST(ImportedFramework, AReaderOfTorchrunsVariables_IsTorch) {
  const auto guess = [](const std::string& text) { return imported_framework("t.py", text).why; };
  EXPECT_EQ(guess("r = int(os.environ[\"RANK\"])\n"), "t.py reads RANK");
  EXPECT_EQ(guess("r = os.environ.get('LOCAL_RANK', 0)\n"), "t.py reads LOCAL_RANK");
  EXPECT_EQ(guess("r = getenv(\"WORLD_SIZE\")\n"), "t.py reads WORLD_SIZE");
  EXPECT_EQ(guess("r = os.environ[\"MUSTER_RANK\"]; print(\"RANK\", {\"RANK\": r})\n"), "");
}

}  // namespace
}  // namespace muster
