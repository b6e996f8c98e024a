// SPDX-License-Identifier: Apache-2.0
#include "core/job/variable_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace muster {
namespace {

TEST(CarriedVariables, WhatTunesLibrariesGoesAlong) {
  for (const char* name : {"NCCL_DEBUG", "OMP_NUM_THREADS", "TORCH_LOGS", "HF_HUB_OFFLINE", "WANDB_MODE", "LC_ALL",
                           "OMPI_MCA_btl_tcp_if_include"})
    EXPECT_TRUE(is_carried(name)) << name;
}

TEST(CarriedVariables, WhatIsOneMachinesOrASecretDoesNot) {
  for (const char* name :
       {"PATH", "HOME", "SSH_AUTH_SOCK", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "HF_TOKEN", "HF_HOME", "WANDB_API_KEY",
        "AWS_SECRET_ACCESS_KEY", "MUSTER_TOKEN", "LD_LIBRARY_PATH", "TORCH_EXTENSIONS_DIR", "NCCL_SOCKET_IFNAME",
        "OMPI_COMM_WORLD_RANK", "OMPI_MCA_orte_hnp_uri"})
    EXPECT_FALSE(is_carried(name)) << name;
}

TEST(OuterLauncher, ThePlaceOfARank_IsRemovedAndSettingsOfTheUserStay) {
  for (const char* name : {"PMIX_RANK", "PMI_FD", "OMPI_COMM_WORLD_RANK", "JSM_JSRUN_PORT", "MUSTER_MPIRUN_SLOTS"})
    EXPECT_TRUE(is_of_outer_launcher(name)) << name;
  for (const char* name : {"PMIX_MCA_gds", "OMPI_MCA_btl", "OMP_NUM_THREADS", "MUSTER_PROGRAM"})
    EXPECT_FALSE(is_of_outer_launcher(name)) << name;
}

TEST(LooksSecret, NamesAndFormsOfSecrets_AreFound) {
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"HF_TOKEN", "abcdefgh"},
           {"TOKEN", "abcdefgh"},
           {"db_password", "hunter-two"},
           {"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"},
           {"WANDB_API_KEY", "0123456789abcdef0123456789abcdef01234567"},
           {"ANY", "ghp_0123456789abcdefghij"},
           {"INDEX_URL", "https://mia:word@pypi.example/simple"}})
    EXPECT_TRUE(looks_secret(name, value)) << name;
}

TEST(LooksSecret, PathsNumbersAndWords_AreNotFound) {
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"TOKENIZERS_PARALLELISM", "false"},
                                                        {"MAX_TOKEN", "4096000"},
                                                        {"HF_TOKEN_PATH", "abcdefgh"},
                                                        {"SSH_KEY", "/home/mia/.ssh/id_ed25519"},
                                                        {"SORT_KEY", "created_at"},
                                                        {"SECRET_NAME", "my-secret"},
                                                        {"PASSWORD_FILE", "./password"},
                                                        {"USE_SECRET", "true"},
                                                        {"API_TOKEN", ""},
                                                        {"URL", "https://example.com/a:b@c"}})
    EXPECT_FALSE(looks_secret(name, value)) << name;
}

}  // namespace
}  // namespace muster
