// SPDX-License-Identifier: Apache-2.0
// The plan of a job as `muster render` shows it. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"

namespace muster {

// By node: the address at which other nodes reach it, and its loopback name (MachineInfo::loopback).
struct NodePlaces {
  std::vector<std::string> addresses;
  std::vector<std::string> loopbacks;
};

// All nodes on this machine.
NodePlaces places_here(const Plan& plan, const std::string& loopback);
NodePlaces places_on(const std::vector<JobHost>& hosts, const Plan& plan);

// The variables of each rank, by plan index: framework, devices, the job's `env`. Secrets are `***`. Values that are only known
// when an attempt starts are described in angle brackets. The shell's environment, which local ranks also get, is left out.
std::vector<std::map<std::string, std::string>> shown_environments(const JobSpec& spec, const Plan& plan,
                                                                   const NodePlaces& places);

// A headline, the ranks with node, devices and CPUs, then the variables. A variable that differs between ranks has one value per
// rank.
std::string plan_view(const JobSpec& spec, const Plan& plan,
                      const std::vector<std::map<std::string, std::string>>& environments, const Style& style);

}  // namespace muster
