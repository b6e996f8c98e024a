// SPDX-License-Identifier: Apache-2.0
// Finds the job that a user refers to. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/journal/job_fold.h"
#include "core/port/job_store.h"

namespace muster {

using JobRecords = std::map<JobId, JobRecord>;

// Oldest first. The pointers are valid as long as the elements of `records`.
std::vector<const JobRecord*> by_age(const JobRecords& records);

// `reference`: @last, an id, a name (the newest of several jobs), or a prefix of an id or name that only one job has. not_found:
// the message suggests the nearest name. invalid_argument: a prefix matches several jobs; the message names them.
Result<JobId> find_job(const JobRecords& records, const std::string& reference);

// The index entry of a job.
JobRecord record_of(const JobFold& fold);

}  // namespace muster
