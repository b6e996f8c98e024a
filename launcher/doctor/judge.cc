// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "launcher/doctor/doctor.h"

namespace muster {

std::vector<Finding> judge(const DoctorFacts& facts) {
  std::vector<Finding> findings;
  for (const auto part :
       {judge_machine, judge_gpus, judge_limits, judge_storage, judge_network, judge_python, judge_own}) {
    for (Finding& finding : part(facts)) findings.push_back(std::move(finding));
  }
  return findings;
}

std::string by_root(const DoctorFacts& facts, const std::string& command) {
  return (facts.machine.root ? "" : "sudo ") + command;
}

}  // namespace muster
