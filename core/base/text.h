// Small words about text that every floor uses. Pure; any thread.
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

// The candidate nearest to `word` by Damerau-Levenshtein distance, the first of several; none further than a slip of
// the fingers: 1 for words up to 5 bytes, 2 for longer ones, and never the whole word.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);

// "4GiB", "512MiB", "10GB", "1048576" → bytes. Binary units KiB MiB GiB TiB, decimal kB KB MB GB TB, B or
// none. Fails with invalid_argument on another unit, a sign, or more than 2^63-1 bytes.
Result<uint64_t> parse_size(std::string_view text);

// A text that parse_size reads back as the same value, with the fewest digits: "2GiB", "10GB", "1001B".
std::string format_size(uint64_t bytes);

// Rounded for people: "1.9 GiB", "256 KiB".
std::string humane_size(uint64_t bytes);

// With commas from five digits on: "1245", "12,400".
std::string humane_count(uint64_t count);

// "1 rank", "2 ranks", "12,400 steps".
std::string count_of(uint64_t count, std::string_view noun);

// `text` with control characters and bytes that are no valid UTF-8 written as \xNN, so that a terminal shows it and
// does nothing else.
std::string escaped(std::string_view text);

// Bytes of the valid UTF-8 character that starts at `at` (< size), or 0 where none does.
size_t utf8_length(std::string_view text, size_t at);

// Bytes at the end of `text` that begin a UTF-8 character which it does not hold whole: 0 to 3.
size_t begun_character(std::string_view text);

// "10.0.0.1:29400", "[::1]:29400", "node-a:29400"
std::string host_port(const std::string& host, uint16_t port);

// At most `limit` names joined by ", ", then "and N more".
std::string short_list(const std::vector<std::string>& names, size_t limit);

}  // namespace muster
