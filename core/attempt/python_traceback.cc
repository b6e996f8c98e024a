// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/python_traceback.h"

#include <algorithm>

#include "core/attempt/launcher_words.h"
#include "core/base/text.h"

namespace muster {
namespace {

using Lines = OutputLines;

constexpr size_t kLongestTrace = 2048;
constexpr std::string_view kHead = "Traceback (most recent call last)";
constexpr std::string_view kGroupHead = "  + Exception Group Traceback (most recent call last)";
constexpr std::string_view kGroupMargin = "  | ";
// Of an exception that a worker process sent to its parent: "ValueError: Caught ValueError in DataLoader worker process 0." is the
// line before it.
constexpr std::string_view kOriginalHead = "Original Traceback (most recent call last)";
constexpr std::string_view kCaught = ": Caught ";
constexpr std::string_view kRemoteQuotes = "\"\"\"";
// In torchrun's report the lines of a traceback are indented.
constexpr std::string_view kReportHead = "  traceback : Traceback (most recent call last)";
constexpr std::string_view kReportMargin = "  ";
// The reason of an NCCL error follows this line, a few lines after the first.
constexpr std::string_view kNcclError = "NCCL error in";
constexpr std::string_view kNcclReason = "Last error:";
constexpr size_t kNcclLines = 5;

// Lines of a message after its first.
constexpr size_t kMostMessage = 16;

bool is_indented(std::string_view line) { return line.starts_with(' ') || line.starts_with('\t'); }

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

// The margin of each line of an exception group, or of a traceback in torchrun's report.
std::string_view margin_of(const Lines& lines, size_t start) {
  if (lines[start].text.starts_with(kReportHead)) return kReportMargin;
  return is_group(lines, start) ? kGroupMargin : "";
}

std::string_view without_margin(std::string_view line, std::string_view margin) {
  return line.starts_with(margin) ? line.substr(margin.size()) : line;
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
  } else {
    // As torch's load_state_dict() lists what does not fit.
    while (end < lines.size() && end <= exception + kMostMessage && is_indented(lines[end].text)) ++end;
  }
  return end;
}

// " in DataLoader worker process 0" of "ValueError: Caught ValueError in DataLoader worker process 0.", the line before the head.
std::string worker_of(const Lines& lines, size_t head) {
  const std::string_view line = head > 0 ? std::string_view(lines[head - 1].text) : "";
  const size_t caught = line.find(kCaught);
  const size_t begin = caught == std::string_view::npos ? caught : line.find(" in ", caught + kCaught.size());
  if (!lines[head].text.starts_with(kOriginalHead) || begin == std::string_view::npos) return "";
  return std::string(line.substr(begin, line.find_last_not_of('.') + 1 - begin));
}

// Only the last line of an NCCL error contains the reason. A colon at the end of the first line belongs to the lines after it.
std::string first_words(const Lines& lines, size_t exception, size_t end, std::string_view margin) {
  std::string words(without_margin(lines[exception].text, margin));
  const bool more = end > exception + 1;
  if (more && words.find(kNcclError) != std::string::npos) return words + ": " + lines[end - 1].text;
  if (more && words.ends_with(':')) words.pop_back();
  return words;
}

std::optional<size_t> last_head(const Lines& lines) {
  for (size_t i = lines.size(); i-- > 0;) {
    const std::string& text = lines[i].text;
    for (const std::string_view head : {kHead, kGroupHead, kOriginalHead, kReportHead}) {
      if (text.starts_with(head)) return i;
    }
  }
  return std::nullopt;
}

// multiprocessing.Pool and concurrent.futures show the traceback of a worker between quotes, then the parent's of the same exception.
std::optional<size_t> remote_head(const Lines& lines, size_t head) {
  for (size_t i = head; i-- > 0;) {
    const std::string& text = lines[i].text;
    if (text.starts_with(kHead) && i > 0 && lines[i - 1].text == kRemoteQuotes) return i;
    if (text.starts_with(kHead)) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<PythonException> exception_at(const Lines& lines, size_t start) {
  const std::string_view margin = margin_of(lines, start);
  PythonException found;
  for (size_t i = start + 1; i < lines.size(); ++i) {
    const std::string_view line = without_margin(lines[i].text, margin);
    if (const std::optional<std::string> frame = frame_of(line)) {
      const bool own = !in_a_package(line);
      if (own || !found.own_place) found.place = *frame;
      found.own_place = found.own_place || own;
    } else if (!line.starts_with(" ") && is_exception(line)) {
      found.begin = start;
      found.end = end_of_message(lines, i, is_group(lines, start));
      found.rank = lines[start].rank;
      found.text = first_words(lines, i, found.end, margin) + worker_of(lines, start);
      found.trace = trace_of(lines, start, found.end);
      return found;
    }
  }
  return std::nullopt;
}

bool is_prefix_with_number(std::string_view prefix) {
  const size_t digits = prefix.find_last_not_of("0123456789") + 1;
  return digits > 1 && digits < prefix.size() && prefix.starts_with('[') &&
         prefix.find_first_of(" \t[:(", 1) == std::string_view::npos;
}

}  // namespace

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

std::string trace_of(OutputLines lines, size_t begin, size_t end) {
  std::string text;
  size_t first = end;
  while (first > begin + 1 && text.size() + lines[first - 1].text.size() < kLongestTrace) {
    text.insert(0, escaped(lines[--first].text) + "\n");
  }
  return escaped(lines[begin].text) + "\n" + (first > begin + 1 ? "  …\n" : "") + text;
}

size_t lines_behind(OutputLines lines, size_t end) {
  return static_cast<size_t>(
      std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(end), lines.end(), [](const OutputLine& line) {
        return !line.text.empty() && !is_indented(line.text) && !is_launcher_line(line.text);
      }));
}

OutputLine output_line(std::string_view line) {
  constexpr std::string_view kRank = "[rank";
  // torch ends a message of a DataLoader's worker with this character.
  if (line.starts_with('\0')) line.remove_prefix(1);
  size_t end = line.find("]:");
  const auto numbered = [&] { return end != std::string_view::npos && is_prefix_with_number(line.substr(0, end)); };
  if (numbered() && !line.starts_with(kRank)) {  // of torchrun: "[default1]:"
    line.remove_prefix(end + 2);
    end = line.find("]:");
  }
  if (!numbered() || !line.starts_with(kRank)) return {std::string(line), false, ""};
  const std::string rank(line.substr(1, end - 1));
  line.remove_prefix(end + 2);
  const bool by_hook = line.starts_with(' ');
  return {std::string(line.substr(by_hook ? 1 : 0)), by_hook, rank};
}

std::optional<PythonException> python_exception(OutputLines lines, size_t most_behind) {
  const std::optional<size_t> start = last_head(lines);
  std::optional<PythonException> found = start ? exception_at(lines, *start) : std::nullopt;
  if (!found || lines_behind(lines, found->end) > most_behind) return std::nullopt;
  const std::optional<size_t> remote = remote_head(lines, *start);
  std::optional<PythonException> original = remote ? exception_at(lines, *remote) : std::nullopt;
  if (!original || original->text != found->text) return found;
  original->end = found->end;
  return original;
}

}  // namespace muster
