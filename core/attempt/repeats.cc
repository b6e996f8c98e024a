// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/repeats.h"

#include <algorithm>

namespace muster {
namespace {

constexpr Duration kMost = std::chrono::seconds(5);

bool same_rank(const RankReport& a, RankReport b) {
  b.silent = a.silent;
  b.still = a.still;
  return a == b;
}

}  // namespace

uint32_t beats_between(Duration look_every) {
  const Duration told = look_every > Duration(0) ? std::min(look_every / 2, kMost) : kMost;
  return std::max<uint32_t>(1, static_cast<uint32_t>(told / kHeartbeat));
}

bool same_level(const Report& a, const Report& b) {
  Report shell = b;
  shell.beat = a.beat;
  shell.waited = a.waited;
  shell.ranks = a.ranks;
  return shell == a && std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(), same_rank);
}

bool same_level(const DesiredState& a, const DesiredState& b) {
  DesiredState other = b;
  other.heard = a.heard;
  return other == a;
}

}  // namespace muster
