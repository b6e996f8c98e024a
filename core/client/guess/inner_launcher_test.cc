// SPDX-License-Identifier: Apache-2.0
#include "core/client/guess/inner_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster {
namespace {

using testing::EndsWith;
using testing::StartsWith;
using Words = std::vector<std::string>;

TEST(InnerLauncher, TorchrunInEveryRank_NamesTheCommandsToType) {
  EXPECT_EQ(launcher_note({"torchrun", "--nproc-per-node", "2", "train.py", "--lr", "1"}, "2"),
            "each rank starts torchrun for itself, so there are separate runs that do not work together. For one run, "
            "type: muster run -n 2 -- python3 train.py --lr 1, or: muster torchrun --nproc-per-node 2 train.py --lr 1");
  EXPECT_THAT(launcher_note({"python3", "-m", "torch.distributed.run", "--nnodes=1", "train.py"}, "4"),
              EndsWith("muster run -n 4 -- python3 train.py, or: muster torchrun --nnodes=1 train.py"));
}

TEST(InnerLauncher, OtherLaunchers_NameTheCommandToType) {
  EXPECT_THAT(launcher_note({"accelerate", "launch", "--num_processes", "2", "train.py"}, "2"),
              EndsWith("type: muster run -n 2 -- python3 train.py"));
  EXPECT_THAT(launcher_note({"deepspeed", "train.py", "--deepspeed"}, "2"),
              EndsWith("type: muster run -n 2 -- python3 train.py --deepspeed"));
  EXPECT_THAT(launcher_note({"/opt/bin/horovodrun", "-np", "2", "python", "train.py"}, "2"),
              StartsWith("each rank starts horovodrun for itself"));
  EXPECT_THAT(launcher_note({"mpirun", "-np", "2", "./solve"}, "2"), EndsWith("type: muster mpirun -np 2 ./solve"));
  EXPECT_THAT(launcher_note({"mpirun", "./solve", "in.py"}, "2"), EndsWith("type: muster mpirun ./solve in.py"));
  EXPECT_THAT(launcher_note({"torchrun", "-m", "train", "conf.py"}, "3"),
              EndsWith("type: muster run -n 3 -- PROGRAM, or: muster torchrun -m train conf.py"));
}

TEST(InnerLauncher, OneOfSeveralNodes_IsLeftAlone) {
  for (const Words& command :
       {Words{"torchrun", "--nnodes", "2", "train.py"}, Words{"torchrun", "--nnodes=1:4", "train.py"},
        Words{"torchrun", "--node_rank=1", "train.py"},
        Words{"accelerate", "launch", "--num_machines", "2", "train.py"}})
    EXPECT_EQ(launcher_note(command, "2"), "");
}

TEST(InnerLauncher, OtherPrograms_AreLeftAlone) {
  for (const Words& command : {Words{}, Words{"python3", "train.py"}, Words{"accelerate", "config"},
                               Words{"sh", "-c", "torchrun train.py"}, Words{"python3", "-m", "train", "torchrun"}})
    EXPECT_EQ(launcher_note(command, "2"), "");
}

}  // namespace
}  // namespace muster
