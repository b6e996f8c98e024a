// SPDX-License-Identifier: Apache-2.0
// For tests: the findings as lines of text, without those of level ok.
#pragma once

#include <string>
#include <vector>

#include "core/client/doctor/doctor_finding.h"

namespace muster {

inline std::vector<std::string> told(const std::vector<Finding>& findings) {
  std::vector<std::string> texts;
  for (const Finding& each : findings) {
    if (each.level == Finding::Level::ok) continue;
    texts.push_back((each.level == Finding::Level::problem ? "problem " : "note ") + each.subject + ": " + each.text);
  }
  return texts;
}

}  // namespace muster
