// `muster doctor`: facts are gathered (facts.h, which asks the system), judged (judge_*.cc, pure), shown (view.cc, pure), and
// what is safe is mended (fix.h). Every rule stands in docs/doctor.md.
#pragma once

#include <string>
#include <vector>

#include "launcher/doctor/facts.h"
#include "launcher/view/style.h"

namespace muster {

// What --fix may do: nothing that a job, another user or a file of the user's could miss.
enum class Fix { none, make_state, close_state, remove_sockets, remove_leases, end_controller };

struct Finding {
  enum class Level { ok, note, problem } level = Level::ok;
  std::string subject;
  std::string text;    // what is
  std::string effect;  // what that does to jobs; empty: nothing
  std::string mend;    // what to type; empty: nothing is to be mended
  Fix fix = Fix::none;
  bool operator==(const Finding&) const = default;
};

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

bool has_problem(const std::vector<Finding>& findings);
std::string doctor_view(const std::vector<Finding>& findings, Style style);
std::string doctor_json(const std::vector<Finding>& findings);

}  // namespace muster
