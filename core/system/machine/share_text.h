// SPDX-License-Identifier: Apache-2.0
// The share of a job in this machine as text. The text is read from files that any user may have written. Pure; any
// thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/port/machine_info.h"

namespace muster {

// Does not contain the user: that is the file's owner.
std::string share_text(const MachineShare& share);

// nullopt: not a share, damaged, or more than a machine can have.
std::optional<MachineShare> read_share(const std::string& text);

// Merges shares to one per job: the controller's share and the devices of its agents. Without a controller's share, the
// sum of the agents' shares.
std::vector<MachineShare> by_job(std::vector<MachineShare> shares);

}  // namespace muster
