// SPDX-License-Identifier: Apache-2.0
// Text utilities for all layers. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace muster {

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// `words` as one line, quoted so that a shell splits it into the same words.
std::string shell_line(const std::vector<std::string>& words);

// The candidate with the smallest Damerau-Levenshtein distance to `word`, the first of several. nullopt if the distance
// of all is greater than 1 (for words up to 5 bytes) or 2 (for longer words). For words of one byte, only an equal one
// counts.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// Parses "4GiB", "512MiB", "10GB", "1048576" into bytes. Units: KiB MiB GiB TiB (binary), kB KB MB GB TB (decimal), B
// or none. invalid_argument: another unit, a sign, or more than 2^63-1 bytes.
Result<uint64_t> parse_size(std::string_view text);

// The text with the fewest digits that parse_size reads back as the same value: "2GiB", "10GB", "1001B".
std::string format_size(uint64_t bytes);

// Rounded for people: "1.9 GiB", "256 KiB".
std::string humane_size(uint64_t bytes);

// With thousands separators if there are five digits or more: "1245", "12,400".
std::string humane_count(uint64_t count);

// "1 rank", "2 ranks", "12,400 steps".
std::string count_of(uint64_t count, std::string_view noun);

// `text` with control characters, characters that change the direction of text and invalid UTF-8 written as \xNN, so that it
// is safe to print on a terminal.
std::string escaped(std::string_view text);

// The length in bytes of the valid UTF-8 character at `at` (< size); 0 if there is none.
size_t utf8_length(std::string_view text, size_t at);

// The number of bytes (0 to 3) of an incomplete UTF-8 character at the end of `text`.
size_t begun_character(std::string_view text);

// "10.0.0.1:29400", "[::1]:29400", "node-a:29400"
std::string host_port(const std::string& host, uint16_t port);

// At most `limit` names joined by ", ", then "and N more".
std::string short_list(const std::vector<std::string>& names, size_t limit);

}  // namespace muster
