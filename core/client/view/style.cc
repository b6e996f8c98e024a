// SPDX-License-Identifier: Apache-2.0
#include "core/client/view/style.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace muster {
namespace {

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none: return "";
    case Colour::bold: return "1";
    case Colour::dim: return "2";
    case Colour::red: return "31";
    case Colour::bold_red: return "1;31";
    case Colour::green: return "32";
    case Colour::yellow: return "33";
    case Colour::blue: return "34";
    case Colour::magenta: return "35";
    case Colour::cyan: return "36";
  }
  return "";
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// U+0300 to U+036F, which decorate the character before them: in UTF-8 CC 80 to CD AF.
bool combines(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead == 0xCC) return true;
  return lead == 0xCD && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) <= 0xAF;
}

bool takes_a_column(std::string_view text, size_t at) { return !continues(text[at]) && !combines(text, at); }

// Length of the colour sequence of paint() at this position. 0: there is none.
size_t colour_at(std::string_view text, size_t at) {
  if (text[at] != '\x1b') return 0;
  const size_t end = text.find('m', at);
  return end == std::string_view::npos ? 0 : end + 1 - at;
}

std::vector<size_t> column_widths(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  return widths;
}

std::string row_text(const Row& row, const std::vector<size_t>& widths, const Style& style, size_t indent) {
  std::string line(indent, ' ');
  size_t used = indent;
  for (size_t i = 0; i < row.size(); ++i) {
    std::string text = row[i].text;
    const bool last = i + 1 == row.size();
    if (last && style.columns > used + 1) text = cut(text, style.columns - used);
    line += paint(style, row[i].colour, text);
    if (last) break;
    line += std::string(widths[i] - display_width(text) + 2, ' ');
    used += widths[i] + 2;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line + "\n";
}

}  // namespace

std::string paint(const Style& style, Colour colour, std::string_view text) {
  if (!style.colour || colour == Colour::none || text.empty()) return std::string(text);
  std::string painted = "\x1b[";
  painted.append(code_of(colour)).append("m").append(text).append("\x1b[0m");
  return painted;
}

std::string error_line(const Style& style, std::string_view sentence) {
  return paint(style, Colour::bold_red, "error") + ": " + std::string(sentence) + "\n";
}

Colour colour_of_rank(uint32_t index) {
  static constexpr std::array colours{Colour::cyan, Colour::yellow, Colour::green, Colour::magenta, Colour::blue};
  return colours[index % colours.size()];
}

Colour colour_of_state(std::string_view state) {
  if (state == "succeeded") return Colour::green;
  if (state == "failed" || state == "damaged") return Colour::red;
  if (state == "running") return Colour::cyan;
  return state == "cancelled" ? Colour::dim : Colour::yellow;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (const size_t colour = colour_at(text, i); colour > 0) {
      i += colour - 1;
    } else if (takes_a_column(text, i)) {
      ++width;
    }
  }
  return width;
}

std::string cut(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  size_t columns = 0;
  size_t end = 0;
  bool coloured = false;
  while (end < text.size()) {
    const size_t colour = colour_at(text, end);
    coloured = coloured || colour > 0;
    if (colour == 0 && takes_a_column(text, end) && ++columns == width) break;
    end += std::max<size_t>(colour, 1);
  }
  return std::string(text.substr(0, end)) + "…" + (coloured ? "\x1b[0m" : "");
}

std::string table(const std::vector<Row>& rows, const Style& style, size_t indent) {
  const std::vector<size_t> widths = column_widths(rows);
  std::string text;
  for (const Row& row : rows) text += row_text(row, widths, style, indent);
  return text;
}

size_t width_before_last(const std::vector<Row>& rows) {
  const std::vector<size_t> widths = column_widths(rows);
  size_t total = 0;
  for (size_t i = 0; i + 1 < widths.size(); ++i) total += widths[i] + 2;
  return total;
}

void drop_column(std::vector<Row>& rows, size_t column) {
  for (Row& row : rows) {
    if (column < row.size()) row.erase(row.begin() + static_cast<Row::difference_type>(column));
  }
}

namespace {

std::string wrapped_line(const std::string& line, size_t width, size_t indent) {
  std::string text;
  size_t used = indent;
  bool begun = false;
  for (const std::string& word : split(line, ' ')) {
    const size_t cells = display_width(word);
    if (begun && used + 1 + cells > width) {
      text += "\n" + std::string(indent, ' ');
      used = indent;
      begun = false;
    }
    text += (begun ? " " : "") + word;
    used += cells + (begun ? 1 : 0);
    begun = true;
  }
  return text;
}

}  // namespace

std::string wrapped(std::string_view text, size_t width, size_t indent) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n')) lines.push_back(wrapped_line(line, width, indent));
  return join(lines, "\n" + std::string(indent, ' '));
}

std::string or_dash(std::string_view text) { return text.empty() ? "–" : std::string(text); }

std::string age(TimePoint then, TimePoint now) {
  if (then == TimePoint()) return "–";
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(std::max(now - then, Duration(0))).count();
  if (seconds < 60) return std::to_string(seconds) + " s";
  if (seconds < 60 * 60) return std::to_string(seconds / 60) + " min";
  if (seconds < 48 * 60 * 60) return std::to_string(seconds / 3600) + " h";
  return std::to_string(seconds / (24 * 3600)) + " d";
}

std::string ago(TimePoint then, TimePoint now) {
  return now - then < std::chrono::seconds(1) ? "just now" : age(then, now) + " ago";
}

}  // namespace muster
