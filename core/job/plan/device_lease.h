// Whether a job's devices are leased on all nodes before ranks begin on any: on hosts, which controllers share without hearing of each
// other. Pure.
#pragma once

#include "core/job/job_spec.h"

namespace muster {

inline bool leases_before_ranks(const JobSpec& spec) { return spec.backend == BackendKind::ssh; }

}  // namespace muster
