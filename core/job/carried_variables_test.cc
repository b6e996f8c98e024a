// SPDX-License-Identifier: Apache-2.0
#include "core/job/carried_variables.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(CarriedVariables, WhatTunesLibrariesGoesAlong) {
  for (const char* name : {"NCCL_DEBUG", "OMP_NUM_THREADS", "TORCH_LOGS", "HF_HUB_OFFLINE", "WANDB_MODE", "LC_ALL"})
    EXPECT_TRUE(is_carried(name)) << name;
}

TEST(CarriedVariables, WhatIsOneMachinesOrASecretDoesNot) {
  for (const char* name :
       {"PATH", "HOME", "SSH_AUTH_SOCK", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "HF_TOKEN", "HF_HOME", "WANDB_API_KEY",
        "AWS_SECRET_ACCESS_KEY", "MUSTER_TOKEN", "LD_LIBRARY_PATH", "TORCH_EXTENSIONS_DIR", "NCCL_SOCKET_IFNAME"})
    EXPECT_FALSE(is_carried(name)) << name;
}

}  // namespace
}  // namespace muster
