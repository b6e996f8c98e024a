// How `muster top` looks: its state as lines. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "launcher/top/top_state.h"

namespace muster {

// A whole screen: at most `rows` lines (0: as many as there are) of at most style.columns columns, without their ends of line.
std::vector<std::string> top_screen(const TopState& state, const Style& style, size_t rows);

// The table alone, for a pipe: with a headline, without a choice.
std::string top_table(const TopState& state, const Style& style);

}  // namespace muster
