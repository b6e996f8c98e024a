// SPDX-License-Identifier: Apache-2.0
#include "core/job/exit_status.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <tuple>

#include "core/base/text.h"
#include "core/job/job_spec.h"
#include "core/job/raised.h"

namespace muster {
namespace {

constexpr int kSignalBase = 128;
constexpr int kNotFound = 127;

// Whether `detail` is the last line of an interpreter that an exception ended: "RuntimeError: shapes do not match",
// "torch.cuda.OutOfMemoryError: …", "KeyboardInterrupt".
bool names_an_exception(std::string_view detail) {
  constexpr std::array<std::string_view, 5> kEndings = {"Error", "Exception", "Interrupt", "Warning", "StopIteration"};
  const std::string_view word = detail.substr(0, detail.find_first_of(": "));
  const bool dotted_name = std::all_of(word.begin(), word.end(),
                                       [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.'; });
  return dotted_name &&
         std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) { return word.ends_with(ending); });
}

std::string with_detail(std::string sentence, const std::string& detail) {
  return detail.empty() ? sentence : sentence + ": " + detail;
}

// The meaning of some codes in shells (POSIX sh, 2.8.2).
std::string meaning_of_code(int code) {
  constexpr int kLastSignal = 64;
  if (code == 126) return " (found but not executable)";
  if (code == kNotFound) return " (command not found)";
  if (code <= kSignalBase || code > kSignalBase + kLastSignal) return "";
  return " (128 + " + signal_name(code - kSignalBase) + ")";
}

std::string describe_code(const ExitStatus& status) {
  const std::string sentence = "exited with code " + std::to_string(status.code) + meaning_of_code(status.code);
  return status.code == 0 ? sentence : with_detail(sentence, status.detail);
}

std::string memory_of(const ExitStatus& status) {
  return status.peak_bytes == 0 ? "" : " (its memory had reached " + humane_size(status.peak_bytes) + ")";
}

std::string describe_signal(const ExitStatus& status) {
  const std::string dumped = status.core_dumped ? " (core dumped)" : "";
  if (status.asked && status.signal == SIGTERM && status.service_failed)
    return "was stopped because of " + status.detail;
  return with_detail("was killed by " + signal_name(status.signal) + dumped + memory_of(status), status.detail);
}

}  // namespace

bool has_traceback(std::string_view trace) {
  return trace.find("Traceback (most recent call last)") != std::string_view::npos;
}

// An interpreter exits with 1 after an uncaught exception. A program with another exit code has caught it. After
// SIGTERM from muster, the exception may be a consequence of the stop, so a traceback is required.
bool raised(const ExitStatus& status) {
  const bool on_its_way = status.kind == ExitStatus::Kind::signalled && status.signal == SIGTERM && status.asked;
  if (on_its_way && !status.oom) return has_traceback(status.trace) && !status.detail.empty();
  const bool may_be = status.kind == ExitStatus::Kind::exited && status.code == 1 && !status.detail.empty();
  return may_be && (has_traceback(status.trace) || names_an_exception(status.detail));
}

std::string describe_exit(const ExitStatus& status) {
  if (status.kind == ExitStatus::Kind::not_started) return with_detail("could not be started", status.detail);
  if (status.oom) return with_detail("ran out of memory and was killed" + memory_of(status), status.detail);
  if (raised(status)) return "raised " + status.detail;
  return status.kind == ExitStatus::Kind::signalled ? describe_signal(status) : describe_code(status);
}

int shell_code(const ExitStatus& status) {
  switch (status.kind) {
    case ExitStatus::Kind::exited: return status.code;
    case ExitStatus::Kind::signalled: return kSignalBase + status.signal;
    case ExitStatus::Kind::not_started: return kNotFound;
  }
  return status.code;
}

bool same_end(const ExitStatus& one, const ExitStatus& other) {
  const auto said = [](const ExitStatus& exit) {
    return std::tie(exit.kind, exit.code, exit.signal, exit.oom, exit.detail);
  };
  return said(one) == said(other);
}

}  // namespace muster
