// SPDX-License-Identifier: Apache-2.0
// `muster doctor --fix`: the safe repairs. Each step is shown as a command before it is made. Never runs as another user.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "launcher/doctor/doctor.h"

namespace muster {

struct Repair {
  Fix fix = Fix::none;
  std::string command;  // the equivalent shell command
  bool operator==(const Repair&) const = default;
};

// Pure. In the order of the findings.
std::vector<Repair> repairs(const DoctorFacts& facts, const std::vector<Finding>& findings);

// The repairs that --fix does not make and the user must decide about. Pure.
std::vector<std::string> left_to_hands(const std::vector<Finding>& findings);

// Makes the repair. Checks again before it, because a job may have started or a lease may have been taken. Idempotent.
Status repair(const CallerContext& caller, const DoctorFacts& facts, Fix fix);

}  // namespace muster
