// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/failure_message.h"

#include <csignal>
#include <optional>
#include <vector>

#include "core/attempt/crash_message.h"
#include "core/attempt/error_file.h"
#include "core/attempt/launcher_words.h"
#include "core/attempt/python_traceback.h"
#include "core/base/text.h"
#include "core/job/peer_error.h"

namespace muster {
namespace {

// Behind a launcher there are the outputs of several processes: one traceback of Lightning has 12 KiB.
constexpr size_t kTail = 64 * 1024;
constexpr size_t kLongest = 300;
// Lines that libraries print while the interpreter ends, and the rest of a long message.
constexpr size_t kMostBehind = 40;
constexpr size_t kLongestErrorFile = 256 * 1024;

std::string cut(std::string text, size_t longest) {
  constexpr std::string_view kMore = "…";
  if (text.size() <= longest) return text;
  text.resize(longest - kMore.size());
  // Not in the middle of a UTF-8 sequence.
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
  if (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) text.pop_back();
  return text.append(kMore);
}

// The last state of a line that a progress bar rewrites with \r.
std::string last_state(const std::string& line) {
  const std::string shown = line.substr(0, line.find_last_not_of('\r') + 1);
  return shown.substr(shown.rfind('\r') + 1);  // npos + 1 is 0
}

// Warnings of c10 are no failure messages: "[W1122 10:00:00.123 socket.cpp:207] …" or "[W socket.cpp:601] …".
bool is_warning(std::string_view line) {
  if (!line.starts_with("[W") || line.size() < 3) return false;
  return line[2] == ' ' || (line[2] >= '0' && line[2] <= '9');
}

// Frames of messages: Open MPI draws a line of dashes around its help.
bool is_rule(std::string_view line) { return line.find_first_not_of("-=*#_~+ \t\r") == std::string_view::npos; }

std::string last_line(OutputLines lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string& text = line->text;
    const size_t begin = text.find_first_not_of(" \t\r");
    if (is_rule(text) || is_warning(std::string_view(text).substr(begin)) || is_stack_line(text)) continue;
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
  }
  return "";
}

// A program at a terminal colours its messages, such as tracebacks (Python 3.13).
std::string without_colours(std::string_view text) {
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = text.compare(at, 2, "\x1b[") == 0 ? text.find_first_not_of("0123456789;:", at + 2) : at;
    const bool colour = end != at && end != std::string::npos && text[end] == 'm';
    if (colour) {
      at = end;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

std::vector<OutputLine> lines_of(std::string_view stderr_tail) {
  std::vector<OutputLine> lines;
  for (const std::string& line : split(without_colours(stderr_tail), '\n')) {
    OutputLine understood = output_line(last_state(line));
    if (!is_warning(understood.text)) lines.push_back(std::move(understood));
  }
  return lines;
}

// A cause, before it is made one line for people.
struct Cause {
  std::string text;
  std::string place;
  std::string trace;
};

FailureMessage said(const Cause& cause) {
  constexpr size_t kLongestPlace = 100;
  const std::string place = cause.place.empty() ? "" : " at " + cut(escaped(cause.place), kLongestPlace);
  return {cut(escaped(cause.text), kLongest - place.size()) + place, cause.trace};
}

// Nothing: the lines have no exception and no crash. `depth`: how many exceptions of launchers and of ranks that lost a peer follow the
// lines. A few are enough, and each of them reads the lines again.
std::optional<Cause> cause_in(OutputLines lines, size_t most_behind, size_t depth = 0);

// The crash of a DataLoader's worker.
std::optional<Cause> in_worker(std::optional<Cause> cause, const PythonException& exception) {
  if (!cause || loader_report(exception.text) == exception.text) return cause;
  cause->text += " in a DataLoader worker";
  if (cause->place.empty()) cause->place = exception.place;
  return cause;
}

// The cause in the lines before an exception that only says that another process failed, or that another rank was not reached.
std::optional<Cause> relayed(OutputLines lines, const PythonException& exception, size_t depth) {
  constexpr size_t kDeepest = 8;
  if (depth == kDeepest) return std::nullopt;
  const OutputLines before = lines.first(exception.begin);
  const Relays relay = relays(exception.text);
  if (relay == Relays::nothing) {
    // One of several ranks that a launcher inside this rank has started.
    if (exception.rank.empty() || peer_error(exception.text).empty()) return std::nullopt;
    const auto other = python_exception(before, kMostBehind);
    const bool cause = other && other->rank != exception.rank && peer_error(other->text).empty();
    return cause ? cause_in(before, kMostBehind, depth + 1) : std::nullopt;
  }
  const std::string report = torchrun_report(lines.subspan(exception.begin));
  const auto other = python_exception(before, kMostBehind);
  // torch's DataLoader prints two exceptions: the first says how its worker ended, the second where the rank used it.
  if (other && relays(other->text) != Relays::nothing) {
    std::optional<Cause> cause = cause_in(before, kMostBehind, depth + 1);
    if (cause && !other->own_place && cause->place == other->place) cause->place = exception.place;
    return cause;
  }
  const bool silent = report.ends_with("SIGKILL") || report.ends_with("SIGTERM");
  const bool told = (relay == Relays::a_failure && other) || crash_message(before, kMostBehind);
  if (told && !silent) return in_worker(cause_in(before, kMostBehind, depth + 1), exception);
  return report.empty() ? std::nullopt : std::optional(Cause{report, "", ""});
}

std::optional<Cause> reported_by_shell(OutputLines lines, size_t most_behind) {
  for (size_t i = lines.size(); i-- > 0;) {
    const std::optional<ShellReport> report = shell_report(lines[i].text);
    if (!report) continue;
    if (lines_behind(lines, i + 1) > most_behind) return std::nullopt;
    return Cause{report->text, report->place, ""};
  }
  return std::nullopt;
}

std::optional<Cause> cause_in(OutputLines lines, size_t most_behind, size_t depth) {
  constexpr size_t kSoon = 10;  // lines between an exception and a crash while the program cleans up
  const auto exception = python_exception(lines, most_behind);
  const auto crash = crash_message(lines, most_behind);
  if (!exception && !crash) return reported_by_shell(lines, most_behind);
  const bool crash_only = !exception || (crash && crash->begin >= exception->end &&
                                         lines_behind(lines.first(crash->begin), exception->end) > kSoon);
  if (crash_only) return Cause{crash->text, crash->place, crash->trace};
  if (std::optional<Cause> cause = relayed(lines, *exception, depth)) return cause;
  Cause cause{loader_report(exception->text), exception->place, exception->trace};
  const bool asserted = crash && crash->begin < exception->begin &&
                        exception->text.find("device-side assert triggered") != std::string::npos;
  if (asserted) cause.text += ": " + crash->text;
  return cause;
}

// Python exits with code 1 after an exception, and by SIGINT after a KeyboardInterrupt; a program may also crash while it cleans up
// after an exception. A shell exits with 128 + the signal that ended its program. With another code a program ends by itself: then
// an earlier exception is the reason only if it is the last output.
bool may_end_by_exception(const ExitStatus& exit) {
  constexpr int kSignalBase = 128;
  const bool exited = exit.kind == ExitStatus::Kind::exited;
  if (exited && exit.code <= kSignalBase) return exit.code == 1;
  const int signal = exited ? exit.code - kSignalBase : exit.signal;
  return signal != SIGTERM && signal != SIGKILL;
}

std::string tail_of(OutputFiles& files, const std::string& path) {
  if (path.empty()) return "";
  const uint64_t size = files.size(path);
  const Result<std::string> tail = files.read(path, size > kTail ? size - kTail : 0, kTail);
  return tail.ok() ? *tail : "";
}

FailureMessage recorded_in(OutputFiles& files, const std::string& path) {
  const Result<std::string> text = path.empty() ? Result<std::string>("") : files.read(path, 0, kLongestErrorFile);
  const std::optional<RankError> error = text.ok() ? parse_error_file(*text) : std::nullopt;
  if (!error) return {};
  FailureMessage words = failure_message_of(error->traceback);
  if (words.trace.empty()) words.said = failure_message_of(error->message).said;
  return words;
}

}  // namespace

FailureMessage failure_message_of(std::string_view stderr_tail) {
  const std::vector<OutputLine> lines = lines_of(stderr_tail);
  return said(cause_in(lines, kMostBehind).value_or(Cause{last_line(lines), "", ""}));
}

FailureMessage failure_message(OutputFiles& files, const FailureMessageFiles& places, const ExitStatus& exit) {
  const bool killed = exit.kind == ExitStatus::Kind::signalled && exit.signal == SIGKILL;
  const FailureMessage recorded = killed ? FailureMessage() : recorded_in(files, places.error_file);
  const bool relay = relays(recorded.said) != Relays::nothing;
  if (!recorded.said.empty() && !relay) return recorded;
  const std::vector<OutputLine> lines = lines_of(tail_of(files, places.stderr_path));
  // A killed program cannot print why, unless it kills itself.
  if (killed && !launcher_kills_itself(lines)) return {};
  const std::optional<Cause> cause = cause_in(lines, may_end_by_exception(exit) || killed ? kMostBehind : 0);
  if (!cause && relay) return recorded;
  return said(cause.value_or(Cause{last_line(lines), "", ""}));
}

}  // namespace muster
