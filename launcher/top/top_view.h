// SPDX-License-Identifier: Apache-2.0
// Turns the state of `muster top` into lines. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "launcher/top/top_state.h"

namespace muster {

// A whole screen: at most `rows` lines (0: no limit) of at most style.columns columns, without newlines.
std::vector<std::string> top_screen(const TopState& state, const Style& style, size_t rows);

// Only the table of jobs with its headline, for a pipe.
std::string top_table(const TopState& state, const Style& style);

}  // namespace muster
