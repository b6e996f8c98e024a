// SPDX-License-Identifier: Apache-2.0
// Declares the flags that define a job (job_flags.h) on a command line.
#pragma once

#include "core/client/submission/job_flags.h"
#include "launcher/cli/command_line.h"

namespace muster {

// `flags` must outlive the parsing and must not move.
void declare_job_flags(CommandLine& line, JobFlags& flags);

// Only --hosts and --hostfile.
void declare_host_flags(CommandLine& line, JobFlags& flags);
// Only --backend.
void declare_backend_flag(CommandLine& line, JobFlags& flags);

}  // namespace muster
