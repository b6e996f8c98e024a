// SPDX-License-Identifier: Apache-2.0
// Finds what hosts lack of what the ranks of a job start with: the Python interpreter and the packages of its framework. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/ssh/hosts/host_report.h"
#include "core/client/doctor/doctor_finding.h"

namespace muster {

struct JobNeeds {
  std::string python;              // the program of the command; empty: the command does not name an interpreter
  std::set<std::string> packages;  // names as pip knows them
  std::string why;                 // "train.py imports accelerate"; empty: the job file names the framework
};

// The facts are those of `needs.python` (HostSurvey::Question). Without needs, no job is known: then what Python programs usually need
// is a note.
std::vector<Finding> judge_needs(const std::vector<HostReport>& reports, const std::optional<JobNeeds>& needs);

// The command that brings `package` to the version that most hosts have; empty if no host needs it.
std::string install_one_version(const std::vector<HostReport>& reports, const std::string& package,
                                const std::string& python);

}  // namespace muster
