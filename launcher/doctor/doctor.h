// SPDX-License-Identifier: Apache-2.0
// `muster doctor`: gathers facts from the system (facts.h), judges them (judge_*.cc, pure), shows the findings (view.cc, pure), and makes
// safe repairs (fix.h). The rules are listed in docs/reference/doctor.md.
#pragma once

#include <string>
#include <vector>

#include "core/client/doctor/doctor_finding.h"
#include "core/client/doctor/facts.h"
#include "core/client/view/style.h"

namespace muster {

// Blocks: less than 1 s if everything answers; at most 2 s for the GPU driver, 4 s for the interpreter, 10 s for the controller. `python`:
// the interpreter to check, as typed; empty: the one that `muster run` takes.
DoctorFacts gather_facts(const CallerContext& caller, const std::string& python);

// Facts about the user's controller, and about the files in muster's folders.
OwnFacts gather_own(const CallerContext& caller);

std::vector<Finding> judge(const DoctorFacts& facts);

// The parts of judge(), in the order in which they are shown.
std::vector<Finding> judge_machine(const DoctorFacts& facts);
std::vector<Finding> judge_gpus(const DoctorFacts& facts);
std::vector<Finding> judge_limits(const DoctorFacts& facts);
std::vector<Finding> judge_storage(const DoctorFacts& facts);
std::vector<Finding> judge_network(const DoctorFacts& facts);
std::vector<Finding> judge_python(const DoctorFacts& facts);
std::vector<Finding> judge_own(const DoctorFacts& facts);

// "sudo COMMAND", or COMMAND for root.
std::string by_root(const DoctorFacts& facts, const std::string& command);

std::string doctor_view(const std::vector<Finding>& findings, Style style);
std::string doctor_json(const std::vector<Finding>& findings);

}  // namespace muster
