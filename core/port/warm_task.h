// How a job wants its Python ranks started: forked from a process that has already imported what they begin with (DESIGN.md §6). To
// every other process such a rank looks executed. A rank that cannot be forked is executed.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// How the sentence begins that tells why: nothing is lost by it.
constexpr std::string_view kNotWarm = "ranks are started without warm imports";

// How a job wants its ranks started.
struct WarmTask {
  std::vector<std::string> modules;  // to import before
  bool automatic = true;             // no: `modules` and nothing else, and that they cannot be had is a remark
  bool always = false;               // also where nothing is known yet that the program imports
  std::set<std::string> place;       // variables that tell a rank its place; imports do not depend on them
  bool operator==(const WarmTask&) const = default;
};

}  // namespace muster
