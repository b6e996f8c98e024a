// SPDX-License-Identifier: Apache-2.0
// Texts of `muster explain` for the problems found on this machine (preflight.h, secrets.h). The other codes are in
// core/job/errors/explain.h. Pure.
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
