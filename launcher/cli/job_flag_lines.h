// The flags that say what a job is (job_flags.h), declared on a command line.
#pragma once

#include "core/client/submission/job_flags.h"
#include "launcher/cli/command_line.h"

namespace muster {

// `flags` must outlive the parsing and stay where it is.
void declare_job_flags(CommandLine& line, JobFlags& flags);

// Those of them that say which hosts: for commands that take no others.
void declare_host_flags(CommandLine& line, JobFlags& flags);
// That which says where it runs.
void declare_backend_flag(CommandLine& line, JobFlags& flags);

}  // namespace muster
