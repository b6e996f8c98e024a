// Which hosts a job has: from its file, from --hosts or from a file of hosts; and what follows for backend and nodes.
#pragma once

#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/client/submission/job_draft.h"

namespace muster {

// At most 1 MiB.
Result<std::string> read_host_file(const std::string& path);

// Takes the hosts of the file that a flag or variable names, if any, for those of the job; adds to sources and diagnostics.
// Fails where it cannot be read.
Status take_host_file(const JobFlags& flags, const CallerContext& caller, JobDraft& draft);

// Hosts that were typed mean the ssh backend; hosts and another backend in a job file contradict each other. A job that does not say
// how many nodes it has gets one on each host.
void settle_hosts(JobDraft& draft);

}  // namespace muster
