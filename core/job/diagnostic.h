// Diagnostic: one thing wrong with what the user wrote, where, and how to mend it. Rendered like a compiler's
// (platform.md §4.5 form). Values; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Lines and columns count from 1; columns count bytes. line 0: the place is no text (a flag, say), `file` names
// it.
struct SourceRange {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 1;
  bool operator==(const SourceRange&) const = default;
};

// Where a value of a spec was written, by its path: "restarts.limit", "env.NAME", "groups.0.command" (groups are
// counted from 0, and the short form is group 0).
using Places = std::map<std::string, SourceRange>;

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  // stable, "E1204": `muster explain E1204` (explain.h)
  SourceRange where;
  std::string message;                   // "unknown framework `troch`"
  std::string label;                     // under the caret: "did you mean `torch`?"
  std::string help;                      // an extra line, may be empty
  std::vector<std::string> suggestions;  // replacement texts for the range, best first
  uint64_t untold = 0;                   // more than 0: no problem itself, counts those that are not listed (E1012)
  bool operator==(const Diagnostic&) const = default;
};

// What was probably meant: under the caret, and as the replacement. Nothing where `meant` is empty.
void suggest(Diagnostic& problem, const std::string& meant);

bool has_errors(const std::vector<Diagnostic>& diagnostics);

// How many problems the list counts without listing them.
uint64_t untold_problems(const std::vector<Diagnostic>& diagnostics);

// The whole report for a terminal, `source` being the text of the first diagnostic's file; ends with "2 errors;
// nothing was started." and what to type next. `colour` adds ANSI colours, never meaning. Empty when there is
// nothing to report. Control characters of source and messages are shown, never sent.
std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view source, bool colour);

// The same where the diagnostics point into several files (a job file and its configuration); a file that
// `sources` lacks is named without an excerpt.
struct ReportStyle {
  bool colour = false;
  bool starts = true;  // false: the command starts nothing anyway, and the last line does not speak of it
  size_t columns = 0;  // of the terminal, which excerpts and codes keep to; 0: none
};
struct SourceText {
  std::string file;
  std::string text;
};
std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, const std::vector<SourceText>& sources,
                               const ReportStyle& style);

// The same as a JSON array of {severity, file, line, col, end, code, message, label, help, suggestions}, on one line
// without its end; `end` is the column after the range. Only problems: untold_problems() counts what is not listed.
std::string diagnostics_to_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace muster
