// What a controller makes of a request to submit: a job with an id and a plan, or why it cannot be one.
#pragma once

#include <vector>

#include "core/base/random.h"
#include "core/journal/journal_codec.h"
#include "core/port/backend.h"
#include "core/port/control_messages.h"

namespace muster {

// invalid_argument: the job is wrong, with all errors of its file; unimplemented: its backend is not built; else what
// the backend says of the plan on its nodes while nothing else runs there. `standalone`: it ends with the process that
// hosts it.
Result<Submission> submission_of(const SubmitRequest& request, const Backends& backends, Random& random,
                                 bool standalone);

}  // namespace muster
