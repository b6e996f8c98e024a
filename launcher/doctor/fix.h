// `muster doctor --fix`: the mending that is safe, each step told as a command before it is done. Never as another user.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "launcher/doctor/doctor.h"

namespace muster {

struct Repair {
  Fix fix = Fix::none;
  std::string command;  // as one would type it
  bool operator==(const Repair&) const = default;
};

// Pure. In the order of the findings.
std::vector<Repair> repairs(const DoctorFacts& facts, const std::vector<Finding>& findings);

// What is left to the reader: of notes and problems that --fix leaves alone. Pure.
std::vector<std::string> left_to_hands(const std::vector<Finding>& findings);

// Does what the command says, and looks again before it does: a job may have come, a lease be taken. Idempotent.
Status repair(const CallerContext& caller, const DoctorFacts& facts, Fix fix);

}  // namespace muster
