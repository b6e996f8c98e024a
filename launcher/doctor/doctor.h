// `muster doctor`: facts are gathered (facts.h, which asks the system), judged (judge_*.cc, pure), shown (view.cc, pure), and
// what is safe is mended (fix.h). Every rule stands in docs/doctor.md.
#pragma once

#include <string>
#include <vector>

#include "core/client/doctor/doctor_finding.h"
#include "core/client/doctor/facts.h"
#include "core/client/view/style.h"

namespace muster {

// Blocks: below a second where everybody answers; a driver gets 2 s, an interpreter 4 s, a controller 10 s. `python`: the
// interpreter to ask, as typed; empty: the one that `muster run` takes.
DoctorFacts gather_facts(const CallerContext& caller, const std::string& python);

// What a controller of this user says, and what its folders hold.
OwnFacts gather_own(const CallerContext& caller);

std::vector<Finding> judge(const DoctorFacts& facts);

// Its parts, in the order that they are shown in.
std::vector<Finding> judge_machine(const DoctorFacts& facts);
std::vector<Finding> judge_gpus(const DoctorFacts& facts);
std::vector<Finding> judge_limits(const DoctorFacts& facts);
std::vector<Finding> judge_storage(const DoctorFacts& facts);
std::vector<Finding> judge_network(const DoctorFacts& facts);
std::vector<Finding> judge_python(const DoctorFacts& facts);
std::vector<Finding> judge_own(const DoctorFacts& facts);

// "sudo COMMAND", for those who are not root.
std::string by_root(const DoctorFacts& facts, const std::string& command);

std::string doctor_view(const std::vector<Finding>& findings, Style style);
std::string doctor_json(const std::vector<Finding>& findings);

}  // namespace muster
