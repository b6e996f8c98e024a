// SPDX-License-Identifier: Apache-2.0
// The part of a JobDraft that comes from manifests of Kubernetes. Private to core/client/submission.
#pragma once

#include "core/client/caller_context.h"
#include "core/client/manifest/manifest_source.h"
#include "core/client/submission/job_draft.h"
#include "core/job/file/validate.h"

namespace muster {

// Translates the manifests to a job file; their problems and notes are in the draft. `runtimes` finds those of the cluster;
// empty: they are not used.
ParsedJob parse_manifest(JobDraft& draft, ManifestSource source, const RuntimeLookup& runtimes,
                         const CallerContext& caller);

}  // namespace muster
