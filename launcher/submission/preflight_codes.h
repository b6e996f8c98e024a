// What `muster explain` says about the problems that only the machine knows (preflight.h, secrets.h). The others
// are in core/model/explain.h. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/explain.h"

namespace muster {

std::optional<Explanation> explain_preflight(std::string_view code);
std::vector<std::string> preflight_codes();

}  // namespace muster
