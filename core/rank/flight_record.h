// What torch's flight recorder tells of a rank's collectives (torch/csrc/distributed/c10d/FlightRecorder.hpp, 2.x). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rank/collective_progress.h"

namespace muster {

// Of each process group the collective that the rank waits in, or the last that it has made; one of sequence 0 where it has made
// none. At most 32 groups, those in which it waits first. Nothing: the text is no such dump. Sends and receives are left out:
// their order is their ranks' own affair.
std::optional<std::vector<CollectiveProgress>> read_flight_record(std::string_view json);

// A line for each: "  flight recorder: waits in all_reduce #17 of default_pg, Float [4]".
std::string flight_record_lines(const std::vector<CollectiveProgress>& stands);

}  // namespace muster
