// The plan of a job as `muster render` shows it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/plan.h"
#include "launcher/view/style.h"

namespace muster {

// What each rank is told, by plan index: framework, devices, the job's `env`. Secrets are `***`; what is only
// known when an attempt begins is named in angle brackets. The shell's environment, which local ranks get too,
// is not repeated. `loopback`: what ranks call it here (MachineInfo::loopback).
std::vector<std::map<std::string, std::string>> shown_environments(const JobSpec& spec, const Plan& plan,
                                                                   const std::string& loopback);

// A headline, the ranks with node, devices and binding, then the variables: those all ranks share once, others
// by rank.
std::string plan_view(const JobSpec& spec, const Plan& plan,
                      const std::vector<std::map<std::string, std::string>>& environments, const Style& style);

}  // namespace muster
