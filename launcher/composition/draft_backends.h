// The backends that add something to a draft, listed by hand.
#pragma once

#include "backends/kubernetes/manifest/manifest.h"
#include "core/client/submission/draft_backend.h"

namespace muster {

const DraftBackends& draft_backends();

// What a cluster has to know of it beside the spec: the image of this version, unless the spec names one.
ClusterJob cluster_job(const JobDraft& draft, const CallerContext& caller);

}  // namespace muster
