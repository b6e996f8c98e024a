// What a job has of this machine as a text in a file that any user may have written. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/port/machine_info.h"

namespace muster {

// Without its user, whom the file's owner tells.
std::string share_text(const MachineShare& share);

// Nothing: it is none of ours, or damaged, or lies about what a machine could have.
std::optional<MachineShare> read_share(const std::string& text);

// One for each job: what its controller tells, with the devices that its agents tell of besides; where only agents do,
// the sum of theirs.
std::vector<MachineShare> by_job(std::vector<MachineShare> shares);

}  // namespace muster
