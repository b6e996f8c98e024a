// SPDX-License-Identifier: Apache-2.0
// Turns syntax errors of the parser into messages for the author of the file. Pure.
#pragma once

#include <string>

#include "core/job/diagnostic.h"

namespace muster {

// E1001 at `where`. `message` is yaml-cpp's; it is shown if there is no better text for it.
Diagnostic syntax_problem(const SourceRange& where, const std::string& message);

}  // namespace muster
