// SPDX-License-Identifier: Apache-2.0
// Reads job records from the job folders, without the index. Used only in core/system/store.
#pragma once

#include <string>
#include <vector>

#include "core/port/job_store.h"

namespace muster::store {

// The ids of the job folders in `jobs`.
std::vector<JobId> job_folders(const std::string& jobs);

// The records of these jobs, oldest first. Records that cannot be read are left out.
std::vector<JobRecord> records_in(const std::string& jobs);

}  // namespace muster::store
