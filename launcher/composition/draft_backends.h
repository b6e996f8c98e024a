// SPDX-License-Identifier: Apache-2.0
// The backends that check or extend a draft.
#pragma once

#include "backends/kubernetes/manifest/manifest.h"
#include "core/client/submission/draft_backend.h"

namespace muster {

const DraftBackends& draft_backends();

// The facts that a cluster needs in addition to the spec: the image of this version, unless the spec names one.
ClusterJob cluster_job(const JobDraft& draft, const CallerContext& caller);

}  // namespace muster
