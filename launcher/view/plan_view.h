// The plan of a job as `muster render` shows it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"

namespace muster {

// By node: where peers reach it, and what ranks there call the loopback (MachineInfo::loopback).
struct NodePlaces {
  std::vector<std::string> addresses;
  std::vector<std::string> loopbacks;
};

// All nodes on this machine.
NodePlaces places_here(const Plan& plan, const std::string& loopback);
NodePlaces places_on(const std::vector<JobHost>& hosts, const Plan& plan);

// What each rank is told, by plan index: framework, devices, the job's `env`. Secrets are `***`; what is only
// known when an attempt begins is named in angle brackets. The shell's environment, which local ranks get too,
// is not repeated.
std::vector<std::map<std::string, std::string>> shown_environments(const JobSpec& spec, const Plan& plan,
                                                                   const NodePlaces& places);

// A headline, the ranks with node, devices and binding, then the variables: those all ranks share once, others
// by rank.
std::string plan_view(const JobSpec& spec, const Plan& plan,
                      const std::vector<std::map<std::string, std::string>>& environments, const Style& style);

}  // namespace muster
