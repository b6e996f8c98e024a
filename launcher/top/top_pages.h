// The pages of `muster top` beside its table of jobs, and the lines they share. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/client/view/style.h"
#include "launcher/top/top_state.h"

namespace muster {

// "150 %" of one CPU; "–" while it is not known.
std::string cpu_text(const std::optional<RankUse>& use);
std::string memory_text(const std::optional<RankUse>& use);

std::vector<std::string> lines_of(const std::string& text);
void append(std::vector<std::string>& lines, std::vector<std::string> more);
// Line `chosen` with a mark, which two blanks at its begin make room for.
std::vector<std::string> marked(std::vector<std::string> lines, size_t chosen, const Style& style);
// As many lines as fit (0: all), so that `chosen` is among them.
std::vector<std::string> window(std::vector<std::string> lines, size_t chosen, size_t rows);
// `line` in so many columns (0: any), its colours kept whole.
std::string cut_painted(const std::string& line, size_t columns);

// "llm  running · attempt 2 · 2 ranks on this machine".
std::string open_title(const TopState& state, const Style& style);
std::vector<std::string> job_page(const TopState& state, const Style& style, size_t rows);
std::vector<std::string> output_page(const TopState& state, const Style& style, size_t rows);
std::vector<std::string> help_page();

}  // namespace muster
