// SPDX-License-Identifier: Apache-2.0
// The flags of mpirun and mpiexec that do nothing under muster, and those that it refuses because they would change the result. Pure.
#pragma once

#include <vector>

#include "core/job/mpirun/mpirun_flags.h"

namespace muster {

void add_mpirun_ignored(std::vector<MpirunFlag>& flags);
void add_mpirun_refused(std::vector<MpirunFlag>& flags);

}  // namespace muster
