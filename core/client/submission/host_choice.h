// SPDX-License-Identifier: Apache-2.0
// The hosts of a job: from its file, from --hosts or from a host file. Derives backend and nodes from them.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/client/submission/job_draft.h"

namespace muster {

// The text of a host file, at most 1 MiB. invalid_argument: it cannot be read or is larger.
Result<std::string> read_host_file(const std::string& path);

// If a flag or variable names a host file, replaces the job's hosts by those of the file; adds to sources and
// diagnostics. Fails if the file cannot be read.
Status take_host_file(const JobFlags& flags, const CallerContext& caller, JobDraft& draft);

// Hosts from a flag, variable or host file select the ssh backend. Hosts in a job file with another backend are an
// error. A job without a number of nodes gets one node per host.
void settle_hosts(JobDraft& draft);

}  // namespace muster
