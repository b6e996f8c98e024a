// What of several hosts stands in a job's way (`muster doctor --hosts`). Pure.
#pragma once

#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "backends/ssh/hosts/reach_survey.h"
#include "core/client/doctor/doctor_finding.h"

namespace muster {

// Of each by itself, then of what they have in common.
std::vector<Finding> judge_hosts(const std::vector<HostReport>& reports);

// Ways between them. `all`: of so many hosts the ways were tried.
std::vector<Finding> judge_ways(const std::vector<Blocked>& blocked, size_t all);

}  // namespace muster
