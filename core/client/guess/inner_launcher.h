// SPDX-License-Identifier: Apache-2.0
// Commands that are launchers themselves: torchrun, accelerate, deepspeed, mpirun, horovodrun. If several ranks of a node
// start one, each of them starts processes of its own, and these do not train together. Pure.
#pragma once

#include <string>
#include <vector>

namespace muster {

// A sentence for a job whose `ranks` per node ("2") each start a launcher; it names the command to type instead.
// Empty: the command starts no launcher directly, or its flags say that it is one of several nodes.
std::string launcher_note(const std::vector<std::string>& command, const std::string& ranks);

}  // namespace muster
