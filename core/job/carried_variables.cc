// SPDX-License-Identifier: Apache-2.0
#include "core/job/carried_variables.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

constexpr std::array<std::string_view, 21> kPrefixes = {
    "NCCL_",         "GLOO_",  "TP_",   "TORCH_", "PYTORCH_", "TORCHINDUCTOR_", "TRITON_",
    "OMP_",          "KMP_",   "GOMP_", "MKL_",   "CUDA_",    "OPENBLAS_",      "HF_",
    "TRANSFORMERS_", "WANDB_", "JAX_",  "XLA_",   "TF_",      "UCX_",           "FI_"};
constexpr std::array<std::string_view, 5> kNames = {"LANG", "TZ", "PYTHONHASHSEED", "PYTHONUNBUFFERED",
                                                    "PYTHONWARNINGS"};
// Set by each machine for its own devices.
constexpr std::array<std::string_view, 4> kNever = {"CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY",
                                                    "CUDA_MPS_LOG_DIRECTORY", "CUDA_DEVICE_ORDER"};
constexpr std::array<std::string_view, 13> kEnds = {"_KEY",    "_TOKEN",  "_SECRET", "_PASSWORD", "_HOME",
                                                    "_DIR",    "_PATH",   "_ROOT",   "_CACHE",    "_FILE",
                                                    "_IFNAME", "_FOLDER", "_NETRC"};

}  // namespace

bool is_carried(std::string_view name) {
  const auto is = [&](std::string_view each) { return name == each; };
  const auto begins = [&](std::string_view each) { return name.starts_with(each); };
  const auto ends = [&](std::string_view each) { return name.ends_with(each); };
  if (std::any_of(kNever.begin(), kNever.end(), is) || std::any_of(kEnds.begin(), kEnds.end(), ends)) return false;
  return std::any_of(kNames.begin(), kNames.end(), is) || name.starts_with("LC_") ||
         std::any_of(kPrefixes.begin(), kPrefixes.end(), begins);
}

}  // namespace muster
