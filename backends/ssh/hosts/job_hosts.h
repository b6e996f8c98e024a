// From what hosts said of themselves to the hosts of a job. Pure.
#pragma once

#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/base/result.h"
#include "core/job/job_spec.h"
#include "core/job/plan/job_host.h"

namespace muster {

// `reports` are of spec.hosts, in their order, and all have facts. invalid_argument: two names are one machine; or as
// peer_addresses().
Result<std::vector<JobHost>> job_hosts(const JobSpec& spec, const std::vector<HostReport>& reports);

// As HostSurvey takes them.
std::vector<ListedHost> listed_hosts(const JobSpec& spec);

}  // namespace muster
