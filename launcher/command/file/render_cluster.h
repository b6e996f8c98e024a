// `muster render --backend kubernetes`: the objects that a cluster gets. Nothing is created, no cluster is asked.
#pragma once

#include <string>

#include "core/client/submission/job_draft.h"
#include "launcher/cli/command.h"

namespace muster {

// text and yaml: a stream of documents, as kubectl apply takes it; json: a List; name: kinds and names. `secret`: the Secret
// alone, with a fresh token and the secrets of this shell; else nothing of it is secret and two calls print the same. A draft
// without errors.
int render_cluster(CommandContext& context, const JobWords& words, JobDraft& draft, const std::string& format,
                   bool secret);

}  // namespace muster
