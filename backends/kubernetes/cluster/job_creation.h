// SPDX-License-Identifier: Apache-2.0
// Creates a job's objects in a cluster: all of them, or none.
#pragma once

#include <map>
#include <string>

#include "backends/kubernetes/cluster/cluster_facts.h"
#include "backends/kubernetes/cluster/kubectl.h"
#include "core/job/job_spec.h"

namespace muster {

// Creates the JobSet, then the objects that it owns, such as its Secret. A second kubectl is started early, so that the Secret exists
// before pods mount it. Owned objects are deleted with the JobSet, so no right to change or delete Secrets is needed. If the second step
// fails, the JobSet is deleted again. `secrets`: values by variable.
Result<JobSetFacts> create_job(const KubectlAccess& access, const JobSpec& spec, const std::string& image,
                               const std::map<std::string, std::string>& secrets);

// Deletes the JobSet with everything it owns. `waited`: returns only when it is gone. not_found: it does not exist.
Status delete_job(const KubectlAccess& access, const std::string& name, bool waited);

}  // namespace muster
