// SPDX-License-Identifier: Apache-2.0
// Reads the dump of torch's flight recorder (torch/csrc/distributed/c10d/FlightRecorder.hpp, 2.x). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rank/collective_progress.h"

namespace muster {

// For each process group, the collective in which the rank waits, or the last one that it has completed; sequence 0 if
// there is none. At most 32 groups, those in which the rank waits first. Sends and receives are ignored, because their
// order may differ between ranks. nullopt: the text is not such a dump.
std::optional<std::vector<CollectiveProgress>> read_flight_record(std::string_view json);

// One line for each: "  flight recorder: waits in all_reduce #17 of default_pg, Float [4]".
std::string flight_record_lines(const std::vector<CollectiveProgress>& collectives);

}  // namespace muster
