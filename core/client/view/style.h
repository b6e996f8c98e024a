// How text looks on the reader's screen: colours, widths, tables. Pure. Colour never carries meaning alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace muster {

enum class Colour { none, bold, dim, red, bold_red, green, yellow, blue, magenta, cyan };

// What a view needs to know of its reader.
struct Style {
  bool terminal = false;
  bool colour = false;
  uint16_t columns = 0;  // 0: never cut
  TimePoint now;         // for ages
  std::string place;     // flags by which a command that is told of finds the job again: " --context lab"
};

// `text` in the colour when the style has colours, else as it is.
std::string paint(const Style& style, Colour colour, std::string_view text);

// "error: sentence\n", as diagnostics begin too (core/job/diagnostic.h).
std::string error_line(const Style& style, std::string_view sentence);

Colour colour_of_rank(uint32_t index);
Colour colour_of_state(std::string_view state);

// Columns a terminal uses for UTF-8 text without control characters but those of paint(): one per code point, none for combining ones.
size_t display_width(std::string_view text);

// At most `width` columns, the last one `…` when something was left out.
std::string cut(std::string_view text, size_t width);

// Paragraphs as lines of at most `width` columns, broken at blanks, where no word is longer; line ends that are there
// stay. Lines after the first begin with `indent` blanks, which count; the last has no end of line.
std::string wrapped(std::string_view text, size_t width, size_t indent = 0);

struct Cell {
  std::string text;
  Colour colour = Colour::none;
};
using Row = std::vector<Cell>;

// Columns padded to the widest cell and parted by two blanks; the last column is not padded, and cut to the
// style's width.
std::string table(const std::vector<Row>& rows, const Style& style, size_t indent = 0);

// Columns of the table up to where its last column begins.
size_t width_before_last(const std::vector<Row>& rows);

// Without the column, counted from 0.
void drop_column(std::vector<Row>& rows, size_t column);

// "–" for nothing.
std::string or_dash(std::string_view text);

// "4 min" since `then`, in its largest unit; "–" when it is zero.
std::string age(TimePoint then, TimePoint now);

// "4 min ago"; "just now" within the first second.
std::string ago(TimePoint then, TimePoint now);

}  // namespace muster
