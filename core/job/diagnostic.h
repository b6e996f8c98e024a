// SPDX-License-Identifier: Apache-2.0
// Diagnostic: a problem in text that the user wrote, with its place and a suggestion. It is printed like an error of a
// compiler. Values; pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// Lines and columns count from 1; columns count bytes. line 0: the place is not in a file but, for example, a flag,
// which `file` names.
struct SourceRange {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t length = 1;
  bool operator==(const SourceRange&) const = default;
};

// The place of each value of a spec, by its path: "restarts.limit", "env.NAME", "groups.0.command". Groups count from
// 0; the short form is group 0.
using Places = std::map<std::string, SourceRange>;

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  // stable, "E1204": `muster explain E1204` (explain.h)
  SourceRange where;
  std::string message;                   // "unknown framework `troch`"
  std::string label;                     // under the caret: "did you mean `torch`?"
  std::string help;                      // an extra line, may be empty
  std::vector<std::string> suggestions;  // texts that can replace the range, the best first
  uint64_t untold = 0;                   // > 0: the number of problems that are not listed (E1012)
  bool operator==(const Diagnostic&) const = default;
};

// Sets the label "did you mean `meant`?" and the suggestion. Does nothing if `meant` is empty.
void suggest(Diagnostic& problem, const std::string& meant);

bool has_errors(const std::vector<Diagnostic>& diagnostics);

// The number of problems that the list only counts.
uint64_t untold_problems(const std::vector<Diagnostic>& diagnostics);

// The report for a terminal; empty if there are no diagnostics. `source` is the text of the first diagnostic's file.
// The last line is "2 errors; nothing was started." and the command to type next. `colour` adds ANSI colours. Control
// characters in source and messages are escaped.
std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view source, bool colour);

// The same for diagnostics of several files, such as a job file and its configuration. For files that are not in
// `sources` there is no excerpt.
struct ReportStyle {
  bool colour = false;
  bool starts = true;  // false: the command never starts a job, so the last line does not say that nothing was started
  size_t columns = 0;  // width of the terminal for excerpts and codes; 0: unknown
};
struct SourceText {
  std::string file;
  std::string text;
};
std::string render_diagnostics(const std::vector<Diagnostic>& diagnostics, const std::vector<SourceText>& sources,
                               const ReportStyle& style);

// A JSON array of {severity, file, line, col, end, code, message, label, help, suggestions}, on one line without a
// newline. `end` is the column after the range. Problems that are only counted (untold_problems()) are not in it.
std::string diagnostics_to_json(const std::vector<Diagnostic>& diagnostics);

}  // namespace muster
