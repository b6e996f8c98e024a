// The table of `muster ps`. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/port/control_messages.h"

namespace muster {

// One line per job, newest first; `wide` adds id, attempt, framework, what it takes on disk and workdir. "" for no jobs.
std::string jobs_table(std::vector<JobView> jobs, const Style& style, bool wide,
                       const std::map<JobId, uint64_t>& sizes = {});

// What the state alone does not say: what a job waits for, why it ended badly. Empty: nothing.
std::string job_note(const JobView& job);
// Of hosts that were typed by hand there is no other name than their number.
std::string job_where(const JobView& job);

// Agents that wait for a job: what each keeps warm, its process, and for how long it has waited. "" for none.
std::string idle_agents_table(const std::vector<IdleAgent>& agents, const Style& style);

}  // namespace muster
