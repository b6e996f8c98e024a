// SPDX-License-Identifier: Apache-2.0
// The table of `muster ps`. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// One line per job, newest first; `wide` adds id, attempt, framework, disk space, workdir and command. Empty for no jobs.
std::string jobs_table(std::vector<JobView> jobs, const Style& style, bool wide,
                       const std::map<JobId, uint64_t>& sizes = {});

// The reason why a job waits, failed or hangs. Empty: nothing to add.
std::string job_note(const JobView& job);
// Where the job runs: a backend, a host, or the number of hosts.
std::string job_where(const JobView& job);

// Waiting agents: warm imports, process id, and how long each has waited. Empty for none.
// A line about the memory that warm agents keep; empty: there are none.
std::string idle_agents_note(const std::vector<IdleAgent>& agents);
std::string idle_agents_table(const std::vector<IdleAgent>& agents, const Style& style);

}  // namespace muster
