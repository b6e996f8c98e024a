// SPDX-License-Identifier: Apache-2.0
// Makes the hosts of a job from the facts that hosts reported. Pure.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/base/result.h"
#include "core/job/job_spec.h"
#include "core/job/plan/job_host.h"

namespace muster {

// `reports` are those of spec.hosts, in the same order, and all have facts. invalid_argument: two names are the same machine. Fails
// also as peer_addresses() does.
Result<std::vector<JobHost>> job_hosts(const JobSpec& spec, const std::vector<HostReport>& reports);

// The hosts of the spec for HostSurvey.
std::vector<ListedHost> listed_hosts(const JobSpec& spec);

}  // namespace muster
