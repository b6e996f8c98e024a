// SPDX-License-Identifier: Apache-2.0
// Reads the jobs of a state folder without a controller. Creates, repairs and locks nothing. The result is as new as the
// controller's last write.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/port/job_store.h"

namespace muster {

// All jobs, oldest first. Empty if the folder does not exist.
std::vector<JobRecord> stored_jobs(const std::string& root);

// The first line of a job's journal, which contains the submission. not_found: there is no journal, or its first line is
// damaged or longer than 1 MiB.
Result<std::string> stored_submission(const std::string& root, const JobId& job);

// Whether the journal contains these bytes after its first line. Stops at the first match; reads at most 16 MiB.
bool stored_journal_has(const std::string& root, const JobId& job, std::string_view bytes);

}  // namespace muster
