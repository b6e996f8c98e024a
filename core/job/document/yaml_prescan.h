// SPDX-License-Identifier: Apache-2.0
// Checks of a YAML text before it is parsed, in linear time and without allocating. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/job/diagnostic.h"

namespace muster {

// Limits that keep yaml-cpp below 100 ms and 64 MiB for any text: yaml-cpp 0.7.0 takes 0.1 µs per byte, and 1 µs and
// 280 bytes per token.
constexpr size_t kMaxYamlBytes = 256 * 1024;
constexpr size_t kMaxYamlMarks = 40'000;  // bytes that can begin a token: , [ ] { } : - ? & * ! and newlines

// A job as JSON may have a command as long as the kernel takes (6 MiB), and the journal line that holds it has at most 64 MiB.
constexpr size_t kMaxJsonBytes = 8 << 20;
constexpr size_t kMaxJsonValues = 700'000;

// Refuses texts that are too large, are not UTF-8, contain control characters or have too many tokens. nullopt: the
// text can be parsed.
std::optional<Diagnostic> prescan_yaml(std::string_view text, const std::string& file);

// The same for JSON that muster wrote itself. Its values are counted while it is read.
std::optional<Diagnostic> prescan_json(std::string_view text, const std::string& file);

// The problem of the last line, up to `line` (counted from 1), that is indented with a tab: the likely reason why a
// parser stopped at `line`.
std::optional<Diagnostic> find_tab_indentation(std::string_view text, const std::string& file, uint32_t line);

}  // namespace muster
