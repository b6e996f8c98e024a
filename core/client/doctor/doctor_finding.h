// SPDX-License-Identifier: Apache-2.0
// One finding of `muster doctor`, as a value. The checks of every backend return these.
#pragma once

#include <string>
#include <vector>

namespace muster {

// Repairs that --fix may make. None of them can harm a job, another user or a file of the user.
enum class Fix { none, make_state, close_state, remove_sockets, remove_leases, end_controller };

struct Finding {
  enum class Level { ok, note, problem } level = Level::ok;
  std::string subject;
  std::string text;    // what was found
  std::string effect;  // the effect on jobs; empty: none
  std::string mend;    // the command that repairs it; empty: nothing to repair
  Fix fix = Fix::none;
  bool operator==(const Finding&) const = default;
};

bool has_problem(const std::vector<Finding>& findings);

}  // namespace muster
