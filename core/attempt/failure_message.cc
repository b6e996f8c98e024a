// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/failure_message.h"

#include <csignal>
#include <optional>
#include <vector>

#include "core/attempt/error_file.h"
#include "core/attempt/python_traceback.h"
#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t kTail = 16 * 1024;
constexpr size_t kLongest = 300;
// Lines that libraries print while the interpreter ends, and the rest of a long message.
constexpr size_t kMostBehind = 40;
constexpr size_t kLongestErrorFile = 256 * 1024;

std::string cut(std::string text) {
  constexpr std::string_view kMore = "…";
  if (text.size() <= kLongest) return text;
  text.resize(kLongest - kMore.size());
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

std::string last_line(const std::vector<OutputLine>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const std::string& text = line->text;
    const size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string::npos || is_warning(std::string_view(text).substr(begin))) continue;
    return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
  }
  return "";
}

FailureMessage understood(std::string_view stderr_tail, size_t most_behind) {
  std::vector<OutputLine> lines;
  for (const std::string& line : split(stderr_tail, '\n')) {
    OutputLine understood = output_line(last_state(line));
    if (!is_warning(understood.text)) lines.push_back(std::move(understood));
  }
  const auto exception = python_exception(lines, most_behind);
  FailureMessage words =
      exception ? FailureMessage{exception->said, exception->trace} : FailureMessage{last_line(lines), ""};
  words.said = cut(escaped(words.said));
  return words;
}

// Python exits with code 1 after an exception, and by SIGINT after a KeyboardInterrupt; a program may also crash while it cleans up
// after an exception. With another code a program ends by itself: then an earlier exception is the reason only if it is the last
// output.
bool may_end_by_exception(const ExitStatus& exit) {
  if (exit.kind == ExitStatus::Kind::exited) return exit.code == 1;
  return exit.signal != SIGTERM && exit.signal != SIGKILL;
}

// A program at a terminal colours its messages, such as tracebacks (Python 3.13).
std::string without_colours(const std::string& text) {
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

std::string tail_of(OutputFiles& files, const std::string& path) {
  if (path.empty()) return "";
  const uint64_t size = files.size(path);
  const Result<std::string> tail = files.read(path, size > kTail ? size - kTail : 0, kTail);
  return tail.ok() ? without_colours(*tail) : "";
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

FailureMessage failure_message_of(std::string_view stderr_tail) { return understood(stderr_tail, kMostBehind); }

FailureMessage failure_message(OutputFiles& files, const FailureMessageFiles& places, const ExitStatus& exit) {
  const FailureMessage recorded = recorded_in(files, places.error_file);
  if (!recorded.said.empty()) return recorded;
  return understood(tail_of(files, places.stderr_path), may_end_by_exception(exit) ? kMostBehind : 0);
}

}  // namespace muster
