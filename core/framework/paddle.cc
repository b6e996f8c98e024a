// SPDX-License-Identifier: Apache-2.0
// Variables of PaddlePaddle (python/paddle/distributed/launch/controllers/collective.py, 3.3).
#include "core/base/text.h"
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

Value all_endpoints(View v) {
  const auto endpoints = world_endpoints(v);
  return endpoints ? Value(join(*endpoints, ",")) : std::nullopt;
}

Value own_endpoint(View v) {
  const auto endpoints = world_endpoints(v);
  return endpoints && v.rank.world_rank < endpoints->size() ? Value((*endpoints)[v.rank.world_rank]) : std::nullopt;
}

// Without a GPU the program uses its CPU, over Gloo.
Value collective_backend(View v) { return v.rank.gpus.empty() ? "gloo" : "nccl"; }

constexpr FrameworkVariable kPaddleVariables[] = {
    {"PADDLE_MASTER", "address and port at which rank 0 opens its store, new in each attempt", world_endpoint_text},
    {"PADDLE_TRAINER_ID", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"PADDLE_TRAINERS_NUM", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"PADDLE_TRAINER_ENDPOINTS", "address and leased port of each rank, in rank order", all_endpoints},
    {"PADDLE_CURRENT_ENDPOINT", "those of this rank", own_endpoint},
    {"PADDLE_NNODES", "number of nodes of the world", [](View v) { return number_text(world_nodes(v)); }},
    {"PADDLE_GLOBAL_RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"PADDLE_GLOBAL_SIZE", "number of ranks of the world", [](View v) { return number_text(v.rank.world_size); }},
    {"PADDLE_LOCAL_RANK", "the rank on its node", [](View v) { return number_text(v.rank.local_rank); }},
    {"PADDLE_RANK_IN_NODE", "the rank on its node", [](View v) { return number_text(v.rank.local_rank); }},
    {"PADDLE_LOCAL_SIZE", "number of ranks on the node", [](View v) { return number_text(v.rank.local_size); }},
    {"PADDLE_DISTRI_BACKEND", "gloo, or nccl for ranks with GPUs", collective_backend, true},
    // The rank sees only its own GPU, by CUDA_VISIBLE_DEVICES.
    {"FLAGS_selected_gpus", "0 for ranks with GPUs: each sees its own only",
     [](View v) { return v.rank.gpus.empty() ? Value() : Value("0"); }, true},
};

}  // namespace

std::span<const FrameworkVariable> paddle_variables() { return kPaddleVariables; }

}  // namespace muster
