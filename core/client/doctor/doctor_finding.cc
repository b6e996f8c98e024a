// SPDX-License-Identifier: Apache-2.0
#include "core/client/doctor/doctor_finding.h"

#include <algorithm>

namespace muster {

bool has_problem(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.level == Finding::Level::problem; });
}

}  // namespace muster
