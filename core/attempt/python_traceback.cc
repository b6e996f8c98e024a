// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/python_traceback.h"

#include <algorithm>

#include "core/base/text.h"

namespace muster {
namespace {

using Lines = std::vector<OutputLine>;

constexpr size_t kLongestTrace = 2048;
constexpr std::string_view kHead = "Traceback (most recent call last)";
constexpr std::string_view kGroupHead = "  + Exception Group Traceback (most recent call last)";
constexpr std::string_view kGroupMargin = "  | ";
// The reason of an NCCL error follows this line, a few lines after the first.
constexpr std::string_view kNcclError = "NCCL error in";
constexpr std::string_view kNcclReason = "Last error:";
constexpr size_t kNcclLines = 5;

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

// `NameError: …`, `torch.cuda.OutOfMemoryError: …`, `train.main.<locals>.Mine`: an unindented dotted name, then a colon or the
// end.
bool is_exception(std::string_view line) {
  const size_t end = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, end);
  const bool dotted = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '<' || c == '>';
  });
  return dotted && !(name[0] >= '0' && name[0] <= '9');
}

bool is_group(const Lines& lines, size_t start) { return lines[start].text.starts_with(kGroupHead); }

// The lines of an exception group have a margin.
std::string_view without_margin(std::string_view line, bool group) {
  return group && line.starts_with(kGroupMargin) ? line.substr(kGroupMargin.size()) : line;
}

bool in_group(std::string_view line) {
  const size_t margin = line.find_first_not_of(' ');
  return margin >= 2 && margin != std::string_view::npos && (line[margin] == '|' || line[margin] == '+');
}

size_t end_of_nccl(const Lines& lines, size_t exception) {
  const size_t last = std::min(lines.size(), exception + kNcclLines);
  for (size_t i = exception + 1; i + 1 < last; ++i) {
    if (lines[i].text == kNcclReason) return i + 2;
  }
  return exception + 1;
}

// The end of the exception's whole message, as far as it is known: later lines may be other output.
size_t end_of_message(const Lines& lines, size_t exception, bool group) {
  size_t end = exception + 1;
  if (lines[exception].by_hook) {
    while (end < lines.size() && lines[end].by_hook) ++end;
  } else if (group) {
    while (end < lines.size() && in_group(lines[end].text)) ++end;
  } else if (lines[exception].text.find(kNcclError) != std::string::npos) {
    return end_of_nccl(lines, exception);
  }
  return end;
}

// The first line, which says that it is a traceback, and as much of the end as fits.
std::string trace_of(const Lines& lines, size_t begin, size_t end) {
  std::string text;
  size_t first = end;
  while (first > begin + 1 && text.size() + lines[first - 1].text.size() < kLongestTrace) {
    text.insert(0, escaped(lines[--first].text) + "\n");
  }
  return escaped(lines[begin].text) + "\n" + (first > begin + 1 ? "  …\n" : "") + text;
}

// Only the last line of an NCCL error contains the reason.
std::string first_words(const Lines& lines, size_t exception, size_t end, bool group) {
  std::string words(without_margin(lines[exception].text, group));
  const bool more = end > exception + 1 && words.find(kNcclError) != std::string::npos;
  return more ? words + ": " + lines[end - 1].text : words;
}

size_t lines_behind(const Lines& lines, size_t end) {
  return static_cast<size_t>(std::count_if(
      lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end(),
      [](const OutputLine& line) { return !line.text.empty() && line.text[0] != ' ' && line.text[0] != '\t'; }));
}

std::optional<size_t> last_head(const Lines& lines) {
  for (size_t i = lines.size(); i-- > 0;) {
    if (lines[i].text.starts_with(kHead) || lines[i].text.starts_with(kGroupHead)) return i;
  }
  return std::nullopt;
}

}  // namespace

OutputLine output_line(std::string_view line) {
  constexpr std::string_view kRank = "[rank";
  const size_t end = line.find("]:");
  const bool numbered =
      line.starts_with(kRank) && end != std::string_view::npos && end > kRank.size() &&
      line.substr(kRank.size(), end - kRank.size()).find_first_not_of("0123456789") == std::string_view::npos;
  if (!numbered) return {std::string(line), false};
  line.remove_prefix(end + 2);
  const bool by_hook = line.starts_with(' ');
  return {std::string(line.substr(by_hook ? 1 : 0)), by_hook};
}

std::optional<PythonException> python_exception(const std::vector<OutputLine>& lines, size_t most_behind) {
  const std::optional<size_t> start = last_head(lines);
  if (!start) return std::nullopt;
  const bool group = is_group(lines, *start);
  std::string place;
  std::string own_place;
  for (size_t i = *start + 1; i < lines.size(); ++i) {
    const std::string_view line = without_margin(lines[i].text, group);
    if (const std::optional<std::string> frame = frame_of(line)) {
      place = *frame;
      if (!in_a_package(line)) own_place = *frame;
    } else if (!line.starts_with(" ") && is_exception(line)) {
      const size_t end = end_of_message(lines, i, group);
      if (lines_behind(lines, end) > most_behind) return std::nullopt;
      const std::string& where = own_place.empty() ? place : own_place;
      return PythonException{first_words(lines, i, end, group) + (where.empty() ? "" : " at " + where),
                             trace_of(lines, *start, end)};
    }
  }
  return std::nullopt;
}

}  // namespace muster
