// SPDX-License-Identifier: Apache-2.0
// Warm start of Python ranks: they are forked from a process that has already imported their modules
// (docs/design/warm-start.md). For other processes such a rank looks like an executed program. A rank that cannot be forked is
// executed.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Prefix of the note that says why ranks start without warm imports. It is no problem of the job.
constexpr std::string_view kNotWarm = "ranks are started without warm imports";

// The job's settings for warm start.
struct WarmTask {
  std::vector<std::string> modules;  // to import first
  bool automatic = true;             // false: import only `modules`; a note says if that fails
  bool always = false;               // also if the imports of the program are not known yet
  std::set<std::string> place;       // variables of ranks alone (their place, secrets); no import may depend on them
  bool operator==(const WarmTask&) const = default;
};

}  // namespace muster
