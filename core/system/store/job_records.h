// The records of the jobs in a folder of jobs, for who has no index. Part of adapter/store only.
#pragma once

#include <string>
#include <vector>

#include "core/port/job_store.h"

namespace muster::store {

// The folders in `jobs` that are a job's.
std::vector<JobId> job_folders(const std::string& jobs);

// Their records, oldest first; those that cannot be read are left out.
std::vector<JobRecord> records_in(const std::string& jobs);

}  // namespace muster::store
