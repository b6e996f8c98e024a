// SPDX-License-Identifier: Apache-2.0
// `muster render --backend kubernetes`: prints the objects of a job. Does not contact a cluster.
#pragma once

#include <string>

#include "core/client/submission/job_draft.h"
#include "launcher/cli/command.h"

namespace muster {

// `format`: text and yaml print a stream of documents for kubectl apply, json a List, name the kinds and names. `secret`: prints
// only the Secret, with a new token and the secrets of this shell. Otherwise the output has no secrets, and two calls print the
// same. `draft` has no errors.
int render_cluster(CommandContext& context, const JobWords& words, JobDraft& draft, const std::string& format,
                   bool secret);

}  // namespace muster
