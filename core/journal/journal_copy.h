// SPDX-License-Identifier: Apache-2.0
// Copies of the journal of a job whose hosts the user starts by hand. Command, folder and environment of a host stay on that host.
// Pure, except close_copy().
#pragma once

#include <string>

#include "core/journal/job_fold.h"
#include "core/port/job_store.h"

namespace muster {

// A submission's line without command, folder and environment of the host that wrote it. Other lines are unchanged.
std::string shared_line(const std::string& line);

// The submission of a host, made from a shared one: with its own id, name, command, folder and environment, and for its own ranks
// the devices of `here`, a plan of its own machine.
Submission localized(Submission shared, const JobId& id, const JobSpec& own, NodeIndex node, const Plan& here);

// Gives the node's ranks the devices of `here`.
void give_devices(Plan& plan, NodeIndex node, const Plan& here);

// Ends a copy whose host has left the job; the job's further state is unknown on this host. Events are journaled as far as the
// store accepts them.
Status close_copy(JobFold& fold, JournalStore& store, TimePoint at, const std::string& why);

}  // namespace muster
