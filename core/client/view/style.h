// SPDX-License-Identifier: Apache-2.0
// Formatting of text for a screen: colours, widths, tables. Colour never carries information alone. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace muster {

enum class Colour { none, bold, dim, red, bold_red, green, yellow, blue, magenta, cyan };

// Properties of the output device, and context for views.
struct Style {
  bool terminal = false;
  bool colour = false;
  uint16_t columns = 0;  // 0: never cut
  TimePoint now;         // reference for ages
  std::string place;     // flags that commands in messages need to find the job: " --context lab"
};

// `text` in the colour if the style has colours, else unchanged.
std::string paint(const Style& style, Colour colour, std::string_view text);

// "error: sentence\n", the same form as diagnostics (core/job/diagnostic.h).
std::string error_line(const Style& style, std::string_view sentence);

Colour colour_of_rank(uint32_t index);
Colour colour_of_state(std::string_view state);

// Number of columns of UTF-8 text on a terminal: one per code point, none for combining ones and for colours of paint().
// The text must not contain other control characters.
size_t display_width(std::string_view text);

// Cuts the text to at most `width` columns. If something was cut, the last column is `…`.
std::string cut(std::string_view text, size_t width);

// Wraps paragraphs at blanks to lines of at most `width` columns; a longer word is not broken. Existing line ends are
// kept. Lines after the first are indented by `indent` blanks, which count. No line end after the last line.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

struct Cell {
  std::string text;
  Colour colour = Colour::none;
};
using Row = std::vector<Cell>;

// Formats a table. Columns are padded to their widest cell and separated by two blanks. The last column is not padded,
// but cut to the style's width.
std::string table(const std::vector<Row>& rows, const Style& style, size_t indent = 0);

// Width of the table before its last column.
size_t width_before_last(const std::vector<Row>& rows);

// Removes a column; the first is 0.
void drop_column(std::vector<Row>& rows, size_t column);

// "–" if the text is empty.
std::string or_dash(std::string_view text);

// The time since `then` in its largest unit: "4 min". "–" if `then` is zero.
std::string age(TimePoint then, TimePoint now);

// "4 min ago"; "just now" within the first second.
std::string ago(TimePoint then, TimePoint now);

}  // namespace muster
