#include "core/runtime/last_words.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "core/base/text.h"
#include "core/runtime/error_file.h"

namespace muster {
namespace {

constexpr size_t kTail = 16 * 1024;
constexpr size_t kLongest = 300;
constexpr size_t kLongestTrace = 2048;
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

// `  File "/home/a/train.py", line 41, in step` → "train.py:41".
std::optional<std::string> frame_of(std::string_view line) {
  constexpr std::string_view kFile = "  File \"";
  constexpr std::string_view kLine = "\", line ";
  const size_t end = line.find(kLine);
  if (!line.starts_with(kFile) || end == std::string_view::npos) return std::nullopt;
  std::string_view path = line.substr(kFile.size(), end - kFile.size());
  path.remove_prefix(path.rfind('/') + 1);
  std::string_view number = line.substr(end + kLine.size());
  number = number.substr(0, number.find_first_not_of("0123456789"));
  return std::string(path) + ":" + std::string(number);
}

bool in_a_package(std::string_view line) {
  return line.find("/site-packages/") != std::string_view::npos ||
         line.find("/dist-packages/") != std::string_view::npos || line.find("/lib/python") != std::string_view::npos ||
         line.find("<frozen ") != std::string_view::npos;
}

// `NameError: …`, `torch.cuda.OutOfMemoryError: …`, `KeyboardInterrupt`: an unindented dotted name, then a colon or the
// end.
bool is_exception(std::string_view line) {
  const size_t end = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, end);
  const bool dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
  return dotted && !(name[0] >= '0' && name[0] <= '9');
}

// As much of the end as fits, behind the first line, which says that it is a traceback.
std::string trace_of(const std::vector<std::string>& lines, size_t begin, size_t end) {
  std::string text;
  size_t first = end;
  while (first > begin + 1 && text.size() + lines[first - 1].size() < kLongestTrace) {
    text.insert(0, escaped(lines[--first]) + "\n");
  }
  return escaped(lines[begin]) + "\n" + (first > begin + 1 ? "  …\n" : "") + text;
}

// The exception that ends the last traceback, and the innermost frame that is the user's own.
std::optional<LastWords> exception_of(const std::vector<std::string>& lines) {
  std::optional<size_t> start;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("Traceback (most recent call last)")) start = i;
  }
  if (!start) return std::nullopt;
  std::string place;
  std::string own_place;
  for (size_t i = *start + 1; i < lines.size(); ++i) {
    if (const std::optional<std::string> frame = frame_of(lines[i])) {
      place = *frame;
      if (!in_a_package(lines[i])) own_place = *frame;
    } else if (!lines[i].starts_with(" ") && is_exception(lines[i])) {
      const std::string& where = own_place.empty() ? place : own_place;
      return LastWords{lines[i] + (where.empty() ? "" : " at " + where), trace_of(lines, *start, i + 1)};
    }
  }
  return std::nullopt;
}

// A progress bar rewrites its line by \r: what it showed last.
std::string last_state(const std::string& line) {
  const std::string shown = line.substr(0, line.find_last_not_of('\r') + 1);
  return shown.substr(shown.rfind('\r') + 1);  // npos + 1 is 0
}

// c10's warnings, "[W1122 10:00:00.123 socket.cpp:207] …" or "[W socket.cpp:601] …": nobody died of one.
bool is_warning(std::string_view line) {
  if (!line.starts_with("[W") || line.size() < 3) return false;
  return line[2] == ' ' || (line[2] >= '0' && line[2] <= '9');
}

std::string last_line(const std::vector<std::string>& lines) {
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    const size_t begin = line->find_first_not_of(" \t\r");
    if (begin == std::string::npos || is_warning(std::string_view(*line).substr(begin))) continue;
    return line->substr(begin, line->find_last_not_of(" \t\r") + 1 - begin);
  }
  return "";
}

std::string tail_of(OutputFiles& files, const std::string& path) {
  if (path.empty()) return "";
  const uint64_t size = files.size(path);
  const Result<std::string> tail = files.read(path, size > kTail ? size - kTail : 0, kTail);
  return tail.ok() ? *tail : "";
}

LastWords recorded_in(OutputFiles& files, const std::string& path) {
  const Result<std::string> text = path.empty() ? Result<std::string>("") : files.read(path, 0, kLongestErrorFile);
  const std::optional<RankError> error = text.ok() ? parse_error_file(*text) : std::nullopt;
  if (!error) return {};
  LastWords words = last_words_of(error->traceback);
  if (words.trace.empty()) words.said = last_words_of(error->message).said;
  return words;
}

}  // namespace

LastWords last_words_of(std::string_view stderr_tail) {
  std::vector<std::string> lines = split(stderr_tail, '\n');
  for (std::string& line : lines) line = last_state(line);
  LastWords words = exception_of(lines).value_or(LastWords{last_line(lines), ""});
  words.said = cut(escaped(words.said));
  return words;
}

LastWords last_words(OutputFiles& files, const LastPlaces& places) {
  const LastWords recorded = recorded_in(files, places.error_file);
  return recorded.said.empty() ? last_words_of(tail_of(files, places.stderr_path)) : recorded;
}

}  // namespace muster
