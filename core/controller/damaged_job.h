// SPDX-License-Identifier: Apache-2.0
// A job whose journal cannot be read, or ends before the job's end. Lists show it, so that its user can remove it. Pure.
#pragma once

#include "core/journal/job_fold.h"
#include "core/port/job_store.h"

namespace muster {

// The state of a job that has ended and whose journal is damaged. It is no state of the job machine.
constexpr const char* kDamaged = "damaged";

// The job as its record has it, with `why` its journal cannot be read. It is done if the record says so.
JobView unreadable_view(const JobRecord& record, const Status& why);

// `view` is what the journal says. If the record has the job's end and the journal does not, lines at its end are lost: the view
// then says so, and is done.
void complete_view(JobView& view, const JobRecord& record);

}  // namespace muster
