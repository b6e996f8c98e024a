// SPDX-License-Identifier: Apache-2.0
#include "launcher/follow/failure_report.h"

#include <algorithm>
#include <vector>

#include "core/attempt/python_traceback.h"
#include "core/base/text.h"
#include "core/client/view/line_assembler.h"
#include "core/client/view/status_lines.h"

namespace muster {
namespace {

constexpr size_t kMostLines = 12;
constexpr size_t kMostConsequences = 3;
constexpr std::string_view kTraceback = "Traceback (most recent call last)";
constexpr std::string_view kNoModule = "No module named ";

const AttemptView* failed_attempt(const JobView& job) {
  const auto found = std::find_if(job.attempts.rbegin(), job.attempts.rend(),
                                  [](const AttemptView& attempt) { return !attempt.cause.empty() || attempt.culprit; });
  return found == job.attempts.rend() || !found->culprit ? nullptr : &*found;
}

std::string indented(const std::string& text, const Style& style) {
  std::string lines;
  for (const std::string& line : split(text, '\n')) {
    lines += "  " + (style.terminal ? safe_for_terminal(line) : line) + "\n";
  }
  return lines;
}

// The error file is the best source for the exception. Its message is shown if the job's sentence does not contain it.
// If the program was a launcher, the failed attempt has the traceback of its process.
std::string evidence(const FailureFacts& facts, const AttemptView& attempt, const std::string& sentence,
                     const Style& style) {
  const std::string recorded = facts.error ? traceback_end(facts.error->traceback, kMostLines) : "";
  if (!recorded.empty()) return indented(recorded, style);
  if (facts.error && !facts.error->message.empty() && sentence.find(facts.error->message) == std::string::npos) {
    return indented(facts.error->message, style);
  }
  if (facts.was_shown) return "";
  const std::string known = traceback_end(attempt.culprit_exit.trace, kMostLines);
  const std::string traceback = known.empty() ? traceback_end(facts.stderr_tail, kMostLines) : known;
  return traceback.empty() ? "" : indented(traceback, style);
}

// "rank 2 …" before "rank 10 …".
bool earlier_rank(const std::string& one, const std::string& other) {
  const size_t first = one.find(' ', one.find(' ') + 1), second = other.find(' ', other.find(' ') + 1);
  return first == second ? one < other : first < second;
}

// Sorted by rank, because ranks that are stopped together end in any order.
std::string consequences_of(const AttemptView& attempt) {
  if (attempt.consequences.empty()) return "";
  std::vector<std::string> consequences = attempt.consequences;
  std::stable_sort(consequences.begin(), consequences.end(), earlier_rank);
  return "then:  " + escaped(short_list(consequences, kMostConsequences)) + "\n";
}

// "No module named torch" usually means that the wrong interpreter runs.
std::string advice(const FailureFacts& facts, const std::string& sentence) {
  const size_t at = sentence.find(kNoModule);
  if (at == std::string::npos || facts.interpreter.empty()) return "";
  std::string name = sentence.substr(at + kNoModule.size());
  name = name.substr(0, name.starts_with("'") ? name.find('\'', 1) : name.find_first_of(" ,;"));
  std::erase(name, '\'');
  return "fix:   " + facts.interpreter + " has no module `" + escaped(name) +
         "`; activate the environment that has it, or set PYTHON_EXEC to its python\n";
}

}  // namespace

std::string traceback_end(const std::string& text, size_t most) {
  const size_t begin = text.rfind(kTraceback);
  if (begin == std::string::npos) return "";
  std::vector<std::string> lines;
  for (const std::string& line : split(text.substr(begin), '\n')) lines.push_back(output_line(line).text);
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  // The traceback ends with the exception: the first line after the head that is not indented.
  const auto exception = std::find_if(lines.begin() + 1, lines.end(),
                                      [](const std::string& line) { return !line.empty() && line[0] != ' '; });
  if (exception != lines.end()) lines.erase(exception + 1, lines.end());
  if (lines.size() <= most) return join(lines, "\n");
  const auto kept = lines.end() - static_cast<std::ptrdiff_t>(most - 1);
  return "… " + count_of(lines.size() - most + 1, "line") + " of the traceback left out\n" +
         join(std::vector<std::string>(kept, lines.end()), "\n");
}

std::string failure_report(const JobView& job, const FailureFacts& facts, const Style& style) {
  const std::string sentence = without_state(job.sentence, job.state);
  const std::string state = paint(style, colour_of_state(job.state), job.state);
  std::string text = remark(job.name, state + (sentence.empty() ? "" : ": " + sentence), style);
  const AttemptView* attempt = failed_attempt(job);
  if (attempt != nullptr) text += evidence(facts, *attempt, sentence, style) + consequences_of(*attempt);
  text += end_notes(job) + advice(facts, sentence);
  const std::string rank = attempt == nullptr ? "" : rank_flag(job, attempt->culprit);
  if (!facts.elsewhere.empty()) {
    text += "logs:  on " + escaped(facts.elsewhere) + ", where it ran\n";
  } else {
    text += "logs:  " + (facts.log_file.empty() ? "muster logs " + job.name + rank : facts.log_file) + "\n";
  }
  return text + "why:   muster why " + job.name + "\n";
}

}  // namespace muster
