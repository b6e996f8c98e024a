// SPDX-License-Identifier: Apache-2.0
// Finds problems of several hosts that affect jobs (`muster doctor --hosts`). Pure.
#pragma once

#include <vector>

#include "backends/ssh/doctor/judge_needs.h"
#include "backends/ssh/hosts/host_report.h"
#include "backends/ssh/hosts/reach_survey.h"
#include "core/client/doctor/doctor_finding.h"

namespace muster {

// Findings about each host, then about what the hosts lack (judge_needs.h), then about differences between hosts.
std::vector<Finding> judge_hosts(const std::vector<HostReport>& reports, const std::optional<JobNeeds>& needs = {});

// Findings about connections between hosts. `all`: the number of hosts that were tested.
std::vector<Finding> judge_ways(const std::vector<Blocked>& blocked, size_t all);

}  // namespace muster
