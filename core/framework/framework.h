// How a worker is told its place in the gang, per framework: (spec, plan, rank, attempt) → environment. Pure; one small file each.
//
// Adding one: docs/checklists/add-a-framework.md.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/model/job_spec.h"
#include "core/model/plan.h"

namespace muster {

// What changes from attempt to attempt.
struct AttemptPlace {
  Attempt attempt = 1;
  uint32_t restarts = 0;
  JobId job;
  std::string job_name;
  // Per group: where its first rank's service listens, fresh for each attempt (DESIGN.md §6.6).
  struct Endpoint {
    std::string address;  // numeric
    uint16_t port = 0;
    bool operator==(const Endpoint&) const = default;
  };
  std::vector<Endpoint> endpoints;
  std::vector<std::string> addresses;  // numeric, by node: where its ranks listen for each other
};

// The variables of one rank over the user's environment and under the job's `env`. Includes plain_environment.
std::map<std::string, std::string> framework_environment(const JobSpec& spec, const Plan& plan, const PlannedRank& rank,
                                                         const AttemptPlace& place);

// Variables that only fill gaps: they lie under the user's own environment. torch: OMP_NUM_THREADS=1 for several ranks on a node, as
// torchrun does.
std::map<std::string, std::string> framework_defaults(const JobSpec& spec, const PlannedRank& rank);

// What muster tells every worker, whatever its framework: MUSTER_*, and PYTHONUNBUFFERED=1 for Python programs, whose
// output to a file would else be silent for minutes.
std::map<std::string, std::string> plain_environment(const JobSpec& spec, const PlannedRank& rank,
                                                     const AttemptPlace& place);

// What torch.distributed's env:// and torchrun's workers read. Rank 0 hosts the store at a port that is new in every attempt.
std::map<std::string, std::string> torch_environment(const JobSpec& spec, const Plan& plan, const PlannedRank& rank,
                                                     const AttemptPlace& place);

// CUDA_VISIBLE_DEVICES by UUID, so that torch's and NVML's numbering cannot disagree; empty when the node has no GPUs to divide.
std::map<std::string, std::string> device_environment(const PlannedRank& rank);

}  // namespace muster
