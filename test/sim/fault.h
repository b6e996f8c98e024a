// SPDX-License-Identifier: Apache-2.0
// Fault: a failure at a point in time, as data: a schedule of faults can be printed, repeated and shortened.
//
// Its target is chosen by `pick` when it happens, among those that exist then.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/base/time.h"

namespace muster::sim {

enum class FaultKind {
  rank_dies,
  agent_dies,
  agent_drained,
  host_loses_power,
  host_sleeps,
  controller_host_sleeps,
  clock_drifts,
  clock_jumps,
  link_cut,
  partition,
  partition_one_way,
  flapping,
  messages_lost,
  messages_doubled,
  messages_overtaken,
  network_slow,
  controller_dies,
  controller_dies_at_line,
  controller_leaves,
  controller_host_loses_power,
  second_controller,
  disk_full,
  disk_slow,
  syncs_forgotten,
  places_refused,
  ports_taken,
  submit_repeated,
  user_stops,
};
inline constexpr size_t kFaultKinds = static_cast<size_t>(FaultKind::user_stops) + 1;
const std::string& name_of(FaultKind kind);

struct Fault {
  Duration at{0};  // since the story began
  FaultKind kind = FaultKind::rank_dies;
  uint64_t pick = 0;
  Duration lasts{0};
  bool operator==(const Fault&) const = default;
};
std::string to_text(const Fault& fault);

// Faults of a random subset of kinds, at random times within `window`, in order of time.
std::vector<Fault> faults_of(Random& random, Duration window, bool fixed_hosts);

}  // namespace muster::sim
