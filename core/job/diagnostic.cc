// SPDX-License-Identifier: Apache-2.0
#include "core/job/diagnostic.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/json_text.h"

namespace muster {
namespace {

constexpr size_t kCodeColumn = 85;  // of "[E1204]", unless the message is longer
constexpr size_t kCodeWidth = 7;
constexpr size_t kExcerptWidth = 100;  // of a longer line, only the part around the caret is shown
constexpr size_t kExcerptFrame = 8;    // columns for the line number and its frame

// The widths for a terminal.
struct Widths {
  size_t code_column = kCodeColumn;
  size_t excerpt = kExcerptWidth;
  size_t excerpt_lead() const { return excerpt * 3 / 5; }
};

Widths widths_for(size_t columns) {
  constexpr size_t kNarrowest = 40;
  if (columns == 0) return {};
  columns = std::max(columns, kNarrowest);
  return {std::min(kCodeColumn, columns - kCodeWidth), std::min(kExcerptWidth, columns - kExcerptFrame)};
}

struct Paint {
  bool colour;
  std::string operator()(const char* code, const std::string& text) const {
    return colour ? std::string("\033[") + code + "m" + text + "\033[0m" : text;
  }
};

constexpr const char* kBold = "1";
constexpr const char* kRed = "1;31";
constexpr const char* kYellow = "1;33";
constexpr const char* kBlue = "1;34";
constexpr const char* kGreen = "1;32";

std::string_view line_of(std::string_view source, uint32_t line) {
  for (uint32_t at = 1; at < line; ++at) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  source = source.substr(0, source.find('\n'));
  if (source.ends_with('\r')) source.remove_suffix(1);
  return source;
}

// East Asian wide forms and emoji take two cells (roughly Unicode TR 11). This is exact enough to place a caret.
bool is_wide(std::string_view character) {
  if (character.size() == 4) return static_cast<unsigned char>(character[1]) == 0x9F;
  return character.size() == 3 && character >= "\xE1\x84\x80" && character < "\xEF\xBF\xA0" &&
         !(character >= "\xE1\x86\x80" && character < "\xE2\xBA\x80");
}

size_t cells_of(std::string_view shown) {
  size_t cells = 0;
  for (size_t at = 0; at < shown.size();) {
    const size_t length = std::max<size_t>(utf8_length(shown, at), 1);
    cells += is_wide(shown.substr(at, length)) ? 2 : 1;
    at += length;
  }
  return cells;
}

// Source text for a terminal: a tab becomes one space, other control characters are escaped.
std::string shown(std::string_view text) {
  std::string blanks(text);
  std::replace(blanks.begin(), blanks.end(), '\t', ' ');
  return escaped(blanks);
}

struct Excerpt {
  std::string before;  // up to the caret
  std::string marked;
  std::string after;
};

size_t character_start(std::string_view text, size_t at) {
  while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
  return std::min(at, text.size());
}

Excerpt excerpt_of(std::string_view line, const SourceRange& where, const Widths& widths) {
  const size_t column = std::min<size_t>(where.column > 0 ? where.column - 1 : 0, line.size());
  const bool cut_front = line.size() > widths.excerpt && column > widths.excerpt_lead();
  const size_t from = cut_front ? character_start(line, column - widths.excerpt_lead()) : 0;
  const size_t to = character_start(line, std::min(line.size(), from + widths.excerpt));
  const size_t end = std::clamp<size_t>(column + where.length, column, std::max(to, column));
  Excerpt excerpt;
  excerpt.before = (cut_front ? "…" : "") + shown(line.substr(from, column - from));
  excerpt.marked = shown(line.substr(column, end - column));
  excerpt.after = shown(line.substr(end, std::max(to, end) - end)) + (to < line.size() ? "…" : "");
  return excerpt;
}

std::string headline(const Diagnostic& diagnostic, Paint paint, const Widths& widths) {
  const bool error = diagnostic.severity == Severity::error;
  const std::string word = error ? "error" : "warning";
  const std::string message = escaped(diagnostic.message);
  const size_t used = word.size() + 2 + cells_of(message);
  const std::string gap(used >= widths.code_column ? 1 : widths.code_column - used, ' ');
  return paint(error ? kRed : kYellow, word) + ": " + paint(kBold, message) + gap + "[" + diagnostic.code + "]\n";
}

std::string place_of(const SourceRange& where) {
  const std::string file = escaped(where.file);
  if (where.line == 0) return file;
  return file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

std::string source_lines(const Diagnostic& diagnostic, std::string_view source, Paint paint, const Widths& widths) {
  const SourceRange& where = diagnostic.where;
  const Excerpt excerpt = excerpt_of(line_of(source, where.line), where, widths);
  const std::string number = std::to_string(where.line);
  const std::string carets(std::max<size_t>(cells_of(excerpt.marked), 1), '^');
  const std::string label = diagnostic.label.empty() ? "" : " " + escaped(diagnostic.label);
  return " " + paint(kBlue, number + " |") + " " + excerpt.before + excerpt.marked + excerpt.after + "\n " +
         std::string(number.size(), ' ') + paint(kBlue, " |") + " " + std::string(cells_of(excerpt.before), ' ') +
         paint(kRed, carets + label) + "\n";
}

std::string one(const Diagnostic& diagnostic, const std::string* source, Paint paint, const Widths& widths) {
  std::string text = headline(diagnostic, paint, widths);
  text += paint(kBlue, "  -->") + " " + place_of(diagnostic.where) + "\n";
  if (source != nullptr && diagnostic.where.line > 0) {
    text += source_lines(diagnostic, *source, paint, widths);
  } else if (!diagnostic.label.empty()) {
    text += "      " + escaped(diagnostic.label) + "\n";
  }
  if (!diagnostic.help.empty()) text += paint(kGreen, "help") + ": " + escaped(diagnostic.help) + "\n";
  return text;
}

std::string summary(const std::vector<Diagnostic>& diagnostics, bool starts) {
  const auto is_error = [](const Diagnostic& each) { return each.severity == Severity::error && each.untold == 0; };
  const auto first = std::find_if(diagnostics.begin(), diagnostics.end(), is_error);
  if (first == diagnostics.end()) return count_of(diagnostics.size(), "warning") + "\n";
  const auto errors = static_cast<uint64_t>(std::count_if(diagnostics.begin(), diagnostics.end(), is_error));
  std::string untold;
  for (const Diagnostic& each : diagnostics) untold += each.untold > 0 ? " and " + each.message : "";
  return count_of(errors, "error") + untold + (starts ? "; nothing was started." : ".") + "   muster explain " +
         first->code + "\n";
}

std::string to_json(const Diagnostic& diagnostic) {
  const SourceRange& where = diagnostic.where;
  const uint32_t end = where.line == 0 ? 0 : where.column + where.length;
  return "{\"severity\":" + json_quoted(diagnostic.severity == Severity::error ? "error" : "warning") +
         ",\"file\":" + json_quoted(where.file) + ",\"line\":" + std::to_string(where.line) +
         ",\"col\":" + std::to_string(where.column) + ",\"end\":" + std::to_string(end) +
         ",\"code\":" + json_quoted(diagnostic.code) + ",\"message\":" + json_quoted(diagnostic.message) +
         ",\"label\":" + json_quoted(diagnostic.label) + ",\"help\":" + json_quoted(diagnostic.help) +
         ",\"suggestions\":" + json_list(diagnostic.suggestions) + "}";
}

}  // namespace

void suggest(Diagnostic& problem, const std::string& meant) {
  if (meant.empty()) return;
  problem.label = "did you mean `" + meant + "`?";
  problem.suggestions = {meant};
}

bool has_errors(const std::vector<Diagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& each) { return each.severity == Severity::error; });
}

uint64_t untold_problems(const std::vector<Diagnostic>& diagnostics) {
  uint64_t count = 0;
  for (const Diagnostic& each : diagnostics) count += each.untold;
  return count;
}

std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, const std::vector<SourceText>& sources,
                               const ReportStyle& style) {
  const Widths widths = widths_for(style.columns);
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.untold > 0) continue;
    const auto source = std::find_if(sources.begin(), sources.end(),
                                     [&](const SourceText& each) { return each.file == diagnostic.where.file; });
    text += one(diagnostic, source == sources.end() ? nullptr : &source->text, Paint{style.colour}, widths);
  }
  return diagnostics.empty() ? text : text + summary(diagnostics, style.starts);
}

std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view source, bool colour) {
  const auto located =
      std::find_if(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& each) { return each.where.line > 0; });
  if (located == diagnostics.end())
    return render_diagnostics(diagnostics, std::vector<SourceText>{}, ReportStyle{colour});
  return render_diagnostics(diagnostics, {SourceText{located->where.file, std::string(source)}}, ReportStyle{colour});
}

std::string diagnostics_to_json(const std::vector<Diagnostic>& diagnostics) {
  std::string text = "[";
  for (const Diagnostic& diagnostic : diagnostics) {
    if (diagnostic.untold == 0) text += (text.size() > 1 ? "," : "") + to_json(diagnostic);
  }
  return text + "]";
}

}  // namespace muster
