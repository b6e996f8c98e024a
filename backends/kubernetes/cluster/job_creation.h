// Creating a job's objects in a cluster: all of them, or none.
#pragma once

#include <map>
#include <string>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "backends/kubernetes/cluster/kubectl.h"
#include "core/job/job_spec.h"

namespace muster {

// The JobSet first, then what it owns (its Secret among them), by a kubectl that waits for that: it is there before pods mount it, nobody
// needs a right to change or delete Secrets, and all goes with the JobSet. Where the second fails the first is deleted again.
// `secrets`: values by variable.
Result<JobSetFacts> create_job(const KubectlAccess& access, const JobSpec& spec, const std::string& image,
                               const std::map<std::string, std::string>& secrets);

// not_found: it is gone. What it owns goes with it; `waited`: until it is gone.
Status delete_job(const KubectlAccess& access, const std::string& name, bool waited);

}  // namespace muster
