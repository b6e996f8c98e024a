// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/task_types.h"

#include <algorithm>

namespace muster {

const std::vector<std::string>& task_types() {
  static const std::vector<std::string> all = {"chief", "worker", "ps", "evaluator"};
  return all;
}

std::string task_type(const JobSpec& spec, uint32_t group) {
  const std::string& name = spec.groups[group].name;
  const bool known = std::find(task_types().begin(), task_types().end(), name) != task_types().end();
  return known || spec.groups.size() > 1 ? name : "worker";
}

}  // namespace muster
