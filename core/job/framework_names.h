// SPDX-License-Identifier: Apache-2.0
// The names of the frameworks, in the order of their enum (job_spec.h).
#pragma once

#include <string_view>

namespace muster {

inline constexpr std::string_view kFrameworkNames[] = {
    "plain",       //
    "torch",       //
    "lightning",   //
    "accelerate",  //
    "deepspeed",   //
    "jax",         //
    "tensorflow",  //
    "mpi",         //
    "mlx",         //
    "xgboost",     //
    "paddle",      //
    "horovod",     //
    "custom",      //
    "any",
};

}  // namespace muster
