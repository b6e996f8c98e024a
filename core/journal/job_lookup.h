// Which job a person means. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/journal/job_fold.h"
#include "core/port/job_store.h"

namespace muster {

using JobRecords = std::map<JobId, JobRecord>;

// Oldest first; they live as long as `records`' own.
std::vector<const JobRecord*> by_age(const JobRecords& records);

// `reference`: @last, an id, a name (of several jobs, the newest), or a prefix of an id or name that only one job has.
// not_found with the nearest name; invalid_argument when a prefix fits several, naming them.
Result<JobId> find_job(const JobRecords& records, const std::string& reference);

// What the index is to know of a job.
JobRecord record_of(const JobFold& fold);

}  // namespace muster
