// SPDX-License-Identifier: Apache-2.0
// Cleans muster's folder on a host: code of jobs and its archives, what `setup` made, and output that could not be sent to the
// controller. Blocks; runs on the host.
#pragma once

#include <string>

#include "core/base/result.h"

namespace muster {

// Removes below `folder` (host_folder in core/client/connect/paths.h):
//
// - archives that no job used for a week;
// - setups that no job used for 90 days;
// - files of a job, results included, if none was written for 30 days and no agent of the job runs (`runtime` has the agents' links).
void remove_leftovers(const std::string& folder, const std::string& runtime);

// Removes everything that muster keeps below `folder`, including builds of muster. Other files stay; then the folder stays, too.
// failed_precondition: agents of jobs run on the host.
Status forget_host(const std::string& folder, const std::string& runtime);

}  // namespace muster
