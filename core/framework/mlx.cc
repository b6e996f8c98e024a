// SPDX-License-Identifier: Apache-2.0
// Variables of MLX (mlx/distributed, 0.32). mlx.core.distributed.init() chooses a backend: nccl, or the ring over TCP, which also
// runs on CPUs.
#include "core/base/text.h"
#include "core/framework/world_place.h"

namespace muster {
namespace {

using Value = std::optional<std::string>;
using View = const RankPlace&;

constexpr FrameworkVariable kMlxVariables[] = {
    {"MLX_RANK", "the rank in its world", [](View v) { return number_text(v.rank.world_rank); }},
    {"MLX_WORLD_SIZE", "number of ranks of the world (nccl)", [](View v) { return number_text(v.rank.world_size); }},
    {"NCCL_HOST_IP", "address at which rank 0 listens (nccl)",
     [](View v) -> Value { return world_endpoint(v).address; }},
    {"NCCL_PORT", "port at which rank 0 listens (nccl), new in each attempt",
     [](View v) { return number_text(world_endpoint(v).port); }},
};

// [["10.0.0.1:20001"],["10.0.0.2:20003"]]: a list of addresses for each rank. A ring of one rank would fail; without the file MLX
// forms no ring.
Value ring(View v) {
  if (v.rank.world_size < 2) return std::nullopt;
  const auto endpoints = world_endpoints(v);
  if (!endpoints) return std::nullopt;
  std::vector<std::string> ranks;
  for (const std::string& endpoint : *endpoints) ranks.push_back("[\"" + endpoint + "\"]");
  return "[" + join(ranks, ",") + "]";
}

constexpr FrameworkVariable kMlxFiles[] = {
    {"MLX_HOSTFILE", "file with the address and the port of each rank, new in each attempt (ring)", ring},
};

}  // namespace

std::span<const FrameworkVariable> mlx_variables() { return kMlxVariables; }

std::span<const FrameworkVariable> mlx_files() { return kMlxFiles; }

}  // namespace muster
