// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/trainer/torch_policy.h"

#include <algorithm>
#include <array>

namespace muster {

std::map<std::string, std::string> torchrun_variables(std::string_view index) {
  return {{"PET_NNODES", "${nodes}"},
          {"PET_NPROC_PER_NODE", "1"},
          {"PET_NODE_RANK", std::string(index)},
          {"PET_MASTER_ADDR", "${master_address}"},
          {"PET_MASTER_PORT", "${master_port}"},
          {"MASTER_ADDR", "${master_address}"},
          {"MASTER_PORT", "${master_port}"},
          {"RANK", "${rank}"},
          {"WORLD_SIZE", "${world_size}"}};
}

bool is_set_by_torch_policy(std::string_view variable) {
  return variable.starts_with("PET_") && torchrun_variables("").contains(std::string(variable));
}

bool is_of_torchrun(std::string_view variable) {
  constexpr std::array<std::string_view, 10> kNames{"RANK",        "WORLD_SIZE",       "LOCAL_RANK", "LOCAL_WORLD_SIZE",
                                                    "GROUP_RANK",  "GROUP_WORLD_SIZE", "ROLE_RANK",  "ROLE_WORLD_SIZE",
                                                    "MASTER_ADDR", "MASTER_PORT"};
  return std::find(kNames.begin(), kNames.end(), variable) != kNames.end();
}

}  // namespace muster
