// What `muster explain` says about the problems that only the machine knows (preflight.h, secrets.h). The others
// are in core/job/errors/explain.h. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/errors/explain.h"

namespace muster {

std::optional<Explanation> explain_preflight(std::string_view code);
std::vector<std::string> preflight_codes();

}  // namespace muster
