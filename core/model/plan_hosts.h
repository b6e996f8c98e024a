// A job over several hosts: which nodes lie on which, and what their ranks get there. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/model/job_host.h"
#include "core/model/job_spec.h"
#include "core/model/plan.h"

namespace muster {

Result<Plan> plan_on_hosts(const JobSpec& spec, const std::vector<JobHost>& hosts);

}  // namespace muster
