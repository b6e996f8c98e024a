// SPDX-License-Identifier: Apache-2.0
// Commands and flags of other tools (torchrun, mpirun, Slurm, Accelerate, kubectl) that people type, and muster's own. Pure.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// "muster ps lists jobs" for `squeue`. Empty: not a word of the table.
std::string_view own_command_for(std::string_view word);

// "--workers" for `-np` and `-np2`, "--restarts" for `--max_restarts`. Empty: not a flag of the table.
std::string_view own_flag_for(std::string_view flag);

// "a job does not wait for another job; …" for `--dependency`: a sentence with what to type instead. Empty: none is known.
std::string_view other_way_for(std::string_view flag);

}  // namespace muster
