// SPDX-License-Identifier: Apache-2.0
// Whether the agents lease the devices of a job on all nodes before any rank starts. This is needed on hosts, because
// several controllers can use a host without knowing of each other. Pure.
#pragma once

#include "core/job/job_spec.h"

namespace muster {

inline bool leases_before_ranks(const JobSpec& spec) { return spec.backend == BackendKind::ssh; }

}  // namespace muster
