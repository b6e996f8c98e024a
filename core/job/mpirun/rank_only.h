// SPDX-License-Identifier: Apache-2.0
// Variables that muster has set for one rank only. Ranks that `muster mpirun` starts inside that rank must not get them, for example its
// OMP_NUM_THREADS. A variable that the user has set is passed on, also if a script in the rank has changed it. Pure.
#pragma once

#include <map>
#include <set>
#include <string>

namespace muster {

// A variable of the rank that names the others, each with a hash of its value: "OMP_NUM_THREADS=af63ac4c,RANK=…".
constexpr const char* kRankOnly = "MUSTER_RANK_ONLY";

// The value of kRankOnly for these names in the environment of a rank. Empty: it is not needed.
std::string rank_only_text(const std::set<std::string>& names, const std::map<std::string, std::string>& environment);

// Removes what describes the rank that a launcher runs in: the variables that kRankOnly names and that still have the same value, and those
// of launchers (is_of_outer_launcher()).
void remove_outer_variables(std::map<std::string, std::string>& environment);

}  // namespace muster
