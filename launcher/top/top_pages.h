// SPDX-License-Identifier: Apache-2.0
// The pages of `muster top` except the table of jobs, and functions for lines that all pages use. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "launcher/top/top_state.h"

namespace muster {

// "150 %" of one CPU; "–" if it is not known.
std::string cpu_text(const std::optional<RankUse>& use);
std::string memory_text(const std::optional<RankUse>& use);

std::vector<std::string> lines_of(const std::string& text);
void append(std::vector<std::string>& lines, std::vector<std::string> more);
// Marks line `chosen`. The mark replaces the two blanks at the beginning of the line.
std::vector<std::string> marked(std::vector<std::string> lines, size_t chosen, const Style& style);
// At most `rows` lines (0: all), including line `chosen`.
std::vector<std::string> window(std::vector<std::string> lines, size_t chosen, size_t rows);
// `line` cut to `columns` (0: no limit). A line that fits keeps its colours.
std::string cut_painted(const std::string& line, size_t columns);

// "llm  running · attempt 2 · 2 ranks on this machine".
std::string open_title(const TopState& state, const Style& style);
std::vector<std::string> job_page(const TopState& state, const Style& style, size_t rows);
std::vector<std::string> output_page(const TopState& state, const Style& style, size_t rows);
std::vector<std::string> help_page();

}  // namespace muster
