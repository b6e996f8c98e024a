// The journal of a job whose hosts were typed by hand, as it travels between them: what a person typed on a host stays on that host.
// Pure, but for close_copy().
#pragma once

#include <string>

#include "core/journal/job_fold.h"
#include "core/port/job_store.h"

namespace muster {

// A submission's line without command, folder and environment of the host that wrote it; another line as it is.
std::string shared_line(const std::string& line);

// What a host makes of a shared submission: its own id, name, command, folder and environment, and on its own ranks the devices
// that `here`, a plan of its own machine, gives them.
Submission localized(Submission shared, const JobId& id, const JobSpec& own, NodeIndex node, const Plan& here);

// On the node's ranks, the devices of `here`.
void give_devices(Plan& plan, NodeIndex node, const Plan& here);

// Ends a copy whose host has parted with the job: what becomes of the job is not known here. Journaled as far as the store takes it.
Status close_copy(JobFold& fold, JournalStore& store, TimePoint at, const std::string& why);

}  // namespace muster
