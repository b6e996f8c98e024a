// SPDX-License-Identifier: Apache-2.0
// Makes a submission, with an id and a plan, from a submit request.
#pragma once

#include <vector>

#include "core/base/random.h"
#include "core/journal/journal_codec.h"
#include "core/port/backend.h"
#include "core/port/control_messages.h"

namespace muster {

// invalid_argument: the job has errors; the message lists all of them. unimplemented: this muster does not have its backend.
// Other errors: the backend cannot plan the job even if nothing else runs on its nodes. `standalone`: the job ends with this
// process.
Result<Submission> submission_of(const SubmitRequest& request, const Backends& backends, Random& random,
                                 bool standalone);

}  // namespace muster
