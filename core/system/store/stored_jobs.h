// What a state folder knows of its jobs, for who only looks: nothing is made, mended or locked, and no controller is
// asked. As fresh as what the controller wrote last.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/port/job_store.h"

namespace muster {

// Oldest first; none where there is no such folder.
std::vector<JobRecord> stored_jobs(const std::string& root);

// The first line of a job's journal, which says what the job is. not_found: there is none, or none that is whole within
// its first MiB.
Result<std::string> stored_submission(const std::string& root, const JobId& job);

// Whether a line of its journal, but for the first, has these bytes. Reads no further than it must, and 16 MiB at most.
bool stored_journal_has(const std::string& root, const JobId& job, std::string_view bytes);

}  // namespace muster
