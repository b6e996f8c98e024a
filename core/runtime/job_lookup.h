// Which job a person means. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/port/job_store.h"
#include "core/runtime/job_fold.h"

namespace muster {

// Oldest first.
std::vector<JobRecord> by_age(const std::map<JobId, JobRecord>& records);

// `reference`: @last, an id, a name (of several jobs, the newest), or a prefix of an id or name that only one job has.
// not_found with the nearest name; invalid_argument when a prefix fits several, naming them.
Result<JobId> find_job(const std::vector<JobRecord>& records, const std::string& reference);

// What the index is to know of a job.
JobRecord record_of(const JobFold& fold);

}  // namespace muster
