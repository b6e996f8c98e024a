// What kubectl is called with, and what it means by what it says. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster {

// Which cluster, as the user's kubectl knows it. Empty: what its configuration says.
struct ClusterPlace {
  std::string context;
  std::string space;  // the namespace
  bool operator==(const ClusterPlace&) const = default;
};

// The place's flags in front: what follows `--` belongs to a program in a pod.
std::vector<std::string> kubectl_arguments(const ClusterPlace& place, const std::vector<std::string>& words);

// Why a kubectl that exited with `code` and said `errors` did not do its work, as a sentence with the fix and its explain code
// (E1652 to E1662). The codes: unavailable (no answer), unauthenticated, permission_denied (a right is missing), not_found,
// already_exists, invalid_argument (the object, or a context), resource_exhausted (quota or policy), failed_precondition (no JobSet there),
// unimplemented (kubectl is too old), unknown: in its own words.
Status kubectl_trouble(const ClusterPlace& place, int code, std::string_view errors);

// A sentence with the code by which there is more to read.
Status explained(Code code, const std::string& sentence, const char* explain);

// The last line that is no log line of its own; without "error: " and the like in front.
std::string kubectl_sentence(std::string_view errors);

}  // namespace muster
