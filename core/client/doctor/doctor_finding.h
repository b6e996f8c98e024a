// What `muster doctor` found, as a value: the rules of every backend give these.
#pragma once

#include <string>
#include <vector>

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

bool has_problem(const std::vector<Finding>& findings);

}  // namespace muster
