// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/crash_message.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

constexpr std::string_view kFatalPython = "Fatal Python error: ";
constexpr std::string_view kStackEnd = " (most recent call first):";
// Lines between the message of abort() and that of Python's faulthandler: the C++ stack is not counted.
constexpr size_t kMostBetween = 20;
constexpr size_t kMostFrames = 120;

bool has_words(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

bool starts_with_any(std::string_view line, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view each) { return line.starts_with(each); });
}

// Of glibc's malloc, its hardened functions and its loader; of libc++, jemalloc and std::terminate.
bool is_abort_line(std::string_view line) {
  constexpr std::array<std::string_view, 16> kBeginnings = {"terminate called without an active exception",
                                                            "terminate called recursively",
                                                            "free(): ",
                                                            "malloc(): ",
                                                            "calloc(): ",
                                                            "realloc(): ",
                                                            "malloc_consolidate(): ",
                                                            "munmap_chunk(): ",
                                                            "mremap_chunk(): ",
                                                            "double free or corruption",
                                                            "corrupted size vs. prev_size",
                                                            "corrupted double-linked list",
                                                            "Fatal glibc error: ",
                                                            "*** Error in `",
                                                            "libc++abi: ",
                                                            "<jemalloc>: "};
  return starts_with_any(line, kBeginnings) || (line.starts_with("*** ") && line.ends_with(" ***: terminated")) ||
         (line.starts_with("SUMMARY: ") && has_words(line, "Sanitizer: "));
}

// "…/Indexing.cu:1369: f: block: [4,0,0], thread: [32,0,0] Assertion `i < n` failed." without the thread, which is another one in
// each attempt, and without the folders of the file.
std::string assertion_of(std::string_view line) {
  const size_t at = line.find("Assertion `");
  if (at == std::string_view::npos || !has_words(line.substr(at), "failed.")) return "";
  std::string_view before = line.substr(0, std::min(at, line.find("block: [")));
  const std::string_view file = before.substr(0, before.find(':'));
  if (has_words(file, "/")) before.remove_prefix(file.rfind('/') + 1);
  return std::string(before) + std::string(line.substr(at));
}

// "F1123 10:00:00.123456  4117 executor.cc:88] Check failed: …"
std::string check_of(std::string_view line) {
  constexpr size_t kDate = 6;
  const size_t end = line.find("] ");
  const bool dated = line.size() > kDate && line[0] == 'F' && line[kDate - 1] == ' ' &&
                     line.substr(1, kDate - 2).find_first_not_of("0123456789") == std::string_view::npos;
  if (!dated || end == std::string_view::npos) return "";
  const size_t file = line.rfind(' ', end) + 1;
  return std::string(line.substr(file, end - file)) + ": " + std::string(line.substr(end + 2));
}

// The message follows in one of the next lines: "terminate called after throwing an instance of 'T'" and "  what():  …".
std::string exception_of(OutputLines lines, size_t at) {
  constexpr std::string_view kThrown = "terminate called after throwing an instance of '";
  constexpr std::string_view kWhat = "  what():  ";
  constexpr size_t kSoon = 4;
  std::string_view line = lines[at].text;
  if (!line.starts_with(kThrown)) return "";
  std::string_view type = line.substr(kThrown.size());
  type = type.substr(0, type.find('\''));
  for (size_t i = at + 1; i < std::min(lines.size(), at + kSoon); ++i) {
    const std::string_view next = lines[i].text;
    if (next.starts_with(kWhat) && next.size() > kWhat.size())
      return std::string(type) + ": " + std::string(next.substr(kWhat.size()));
  }
  return std::string(line);
}

// "thread 'main' (4117) panicked at src/lib.rs:41:9:" and the message in the next line, or in the same one before Rust 1.73.
std::string panic_of(OutputLines lines, size_t at) {
  std::string_view line = lines[at].text;
  const size_t words = line.find(" panicked at ");
  if (!line.starts_with("thread '") || words == std::string_view::npos) return "";
  line.remove_prefix(words + 1);
  if (!line.ends_with(":") || at + 1 == lines.size()) return std::string(line);
  return std::string(line) + " " + lines[at + 1].text;
}

// The sentence about a crash in this line. Empty: the line is about something else.
std::string crash_of(OutputLines lines, size_t at) {
  const std::string_view line = lines[at].text;
  if (is_abort_line(line)) return std::string(line);
  for (std::string text : {assertion_of(line), check_of(line), exception_of(lines, at), panic_of(lines, at)}) {
    if (!text.empty()) return text;
  }
  return "";
}

// "Timeout (0:00:05)!", of faulthandler.dump_traceback_later().
bool is_fatal_python(std::string_view line) {
  return line.starts_with(kFatalPython) || (line.starts_with("Timeout (") && line.ends_with(")!"));
}

std::optional<size_t> last_fatal(OutputLines lines) {
  for (size_t i = lines.size(); i-- > 0;) {
    if (is_fatal_python(lines[i].text)) return i;
  }
  return std::nullopt;
}

// The first line of the crashed thread's functions: "Current thread 0x… (most recent call first):". After a timeout no thread is the
// current one, and the main thread is the last.
std::optional<size_t> crashed_thread(OutputLines lines, size_t fatal) {
  std::optional<size_t> last;
  const size_t end = std::min(lines.size(), fatal + 64 * kMostFrames);
  for (size_t i = fatal + 1; i < end; ++i) {
    const std::string_view line = lines[i].text;
    if (!line.ends_with(kStackEnd) || !has_words(line, "hread ")) continue;
    last = i;
    if (line.starts_with("Current thread 0x")) break;
  }
  return last;
}

// The Python functions of the crashed thread.
void add_functions(CrashMessage& crash, OutputLines lines, size_t fatal) {
  const std::optional<size_t> thread = crashed_thread(lines, fatal);
  if (!thread) return;
  size_t end = *thread + 1;
  bool own = false;
  for (; end < std::min(lines.size(), *thread + kMostFrames) && lines[end].text.starts_with("  File \""); ++end) {
    const std::optional<std::string> frame = frame_of(lines[end].text);
    if (!frame || own) continue;
    own = !in_a_package(lines[end].text);
    if (own || crash.place.empty()) crash.place = *frame;
  }
  // The innermost function is the first, and the first line is kept with the end.
  constexpr size_t kShown = 12;
  if (end > *thread + 1) crash.trace = trace_of(lines, *thread, std::min(end, *thread + kShown));
  crash.end = std::max(crash.end, end);
}

std::optional<CrashMessage> native_crash(OutputLines lines) {
  for (size_t i = lines.size(); i-- > 0;) {
    const std::string text = crash_of(lines, i);
    if (!text.empty()) return CrashMessage{text, "", "", i, i + 1};
  }
  return std::nullopt;
}

// A crash's own lines: the stack of C++, and the rest of a message that what() wrote on several lines.
size_t end_of_stack(OutputLines lines, size_t end) {
  const size_t most = std::min(lines.size(), end + 2 * kMostFrames);
  for (size_t i = end; i < most; ++i) {
    if (is_stack_line(lines[i].text)) end = i + 1;
  }
  return end;
}

}  // namespace

bool is_stack_line(std::string_view line) {
  constexpr std::array<std::string_view, 9> kBeginnings = {"frame #",
                                                           "Exception raised from ",
                                                           "<omitting python frames>",
                                                           "Extension modules: ",
                                                           "note: run with `RUST_BACKTRACE",
                                                           "*** Check failure stack trace",
                                                           "Python runtime state: ",
                                                           "  what():  ",
                                                           "    @ "};
  const bool thread =
      line.ends_with(kStackEnd) && (line.starts_with("Current thread 0x") || line.starts_with("Thread 0x"));
  const bool aborts = line.starts_with("==") && line.ends_with("==ABORTING");
  return thread || aborts || starts_with_any(line, kBeginnings);
}

std::optional<CrashMessage> crash_message(OutputLines lines, size_t most_behind) {
  const std::optional<size_t> fatal = last_fatal(lines);
  std::optional<CrashMessage> crash = native_crash(lines);
  if (fatal && (!crash || crash->begin < *fatal)) {
    const size_t native_end = crash ? end_of_stack(lines.first(*fatal), crash->end) : 0;
    const bool same = crash && lines_behind(lines.first(*fatal), native_end) <= kMostBetween;
    if (!same) crash = CrashMessage{lines[*fatal].text, "", "", *fatal, 0};
    crash->end = *fatal + 1;
    add_functions(*crash, lines, *fatal);
  }
  if (!crash) return std::nullopt;
  crash->end = end_of_stack(lines, crash->end);
  if (lines_behind(lines, crash->end) > most_behind) return std::nullopt;
  return crash;
}

}  // namespace muster
