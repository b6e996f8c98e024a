// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/launcher_words.h"

#include <algorithm>
#include <array>

namespace muster {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool contains(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

// "W1125 22:54:05.182000 15790 torch/distributed/elastic/multiprocessing/api.py:1028] Sending process …"
bool is_log_of_torchrun(std::string_view line) {
  const size_t end = line.find(']');
  return end != std::string_view::npos && contains(line.substr(0, end), "torch/distributed/elastic/") &&
         (line[0] == 'W' || line[0] == 'E' || line[0] == 'I') && line.size() > 5 && is_number(line.substr(1, 4));
}

// "[1]:", "=====", "-----", "Failures:" and "Root Cause …": the report of torchrun.
bool is_report_of_torchrun(std::string_view line) {
  constexpr size_t kLeast = 20;
  const bool rule = line.size() >= kLeast && (line.find_first_not_of('=') == std::string_view::npos ||
                                              line.find_first_not_of('-') == std::string_view::npos);
  const bool index = line.starts_with("[") && line.ends_with("]:") && is_number(line.substr(1, line.size() - 3));
  return rule || index || line == "Failures:" || line.starts_with("Root Cause (first observed failure)");
}

// As strsignal(3) says them, and shells too.
struct SignalWords {
  std::string_view words;
  std::string_view name;
};
constexpr std::array<SignalWords, 8> kSignals = {{{"Killed", "SIGKILL"},
                                                  {"Aborted", "SIGABRT"},
                                                  {"Segmentation fault", "SIGSEGV"},
                                                  {"Bus error", "SIGBUS"},
                                                  {"Illegal instruction", "SIGILL"},
                                                  {"Floating point exception", "SIGFPE"},
                                                  {"Hangup", "SIGHUP"},
                                                  {"Terminated", "SIGTERM"}}};

const SignalWords* signal_at_begin(std::string_view text) {
  const auto found = std::find_if(kSignals.begin(), kSignals.end(),
                                  [&](const SignalWords& each) { return text.starts_with(each.words); });
  return found == kSignals.end() ? nullptr : &*found;
}

constexpr std::string_view kCore = " (core dumped)";

std::string_view trimmed(std::string_view text) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// A shell without job control prints only "Aborted (core dumped)".
bool is_line_of_shell(std::string_view line) {
  const SignalWords* signal = signal_at_begin(line);
  const std::string_view rest = signal == nullptr ? line : line.substr(signal->words.size());
  return (signal != nullptr && (rest.empty() || rest == kCore)) || shell_report(line).has_value();
}

// The value of a line of torchrun's report: "  exitcode  : -9 (pid: 4117)  (SIGKILL)".
std::string_view value_of(std::string_view line, std::string_view key) {
  const size_t colon = line.find(": ");
  if (!line.starts_with("  ") || colon == std::string_view::npos || !line.substr(2).starts_with(key)) return "";
  return line.substr(colon + 2);
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

// "was killed by SIGKILL" of "-9 (pid: 4117)  (SIGKILL)", "exited with code 3" of "3 (pid: 4117)".
std::string end_in_words(std::string_view exit_code) {
  const size_t signal = exit_code.rfind("(SIG");
  if (signal == std::string_view::npos) return "exited with code " + std::string(first_word(exit_code));
  std::string_view name = exit_code.substr(signal + 1);
  return "was killed by " + std::string(name.substr(0, name.find(')')));
}

constexpr std::string_view kRestKilled = "Forcefully terminating all other processes";

}  // namespace

Relays relays(std::string_view text) {
  constexpr std::array<std::string_view, 5> kFailures = {"ChildFailedError:", "CalledProcessError: Command ",
                                                         "ProcessExitedException: process ",
                                                         "BrokenProcessPool: ", "DataLoader worker (pid"};
  const bool any = std::any_of(kFailures.begin(), kFailures.end(), [&](auto words) { return contains(text, words); });
  if (!any) return Relays::nothing;
  const bool signalled = contains(text, "is killed by signal: ") || contains(text, "died with <Signals.") ||
                         contains(text, "terminated with signal ");
  return signalled ? Relays::a_crash : Relays::a_failure;
}

bool is_launcher_line(std::string_view line) {
  if (line.empty()) return false;
  return is_log_of_torchrun(line) || is_report_of_torchrun(line) || is_line_of_shell(line) ||
         contains(line, ":sigkill_handler] ") || contains(line, kRestKilled) || line.starts_with("srun: error: ") ||
         line.starts_with("make: *** [") || line.starts_with("make[") || line.starts_with("ERROR conda.cli.main_run");
}

std::optional<ShellReport> shell_report(std::string_view line) {
  constexpr std::string_view kColon = ": ";
  constexpr std::string_view kLine = "line ";
  const size_t at = line.find(kColon);
  if (at == 0 || at == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(at + kColon.size());
  const std::string_view file = line.substr(0, at);
  std::string place;
  if (rest.starts_with(kLine)) {
    const size_t colon = rest.find(':');
    if (colon == std::string_view::npos || !is_number(rest.substr(kLine.size(), colon - kLine.size())))
      return std::nullopt;
    place = std::string(file.substr(file.rfind('/') + 1)) + ":" +
            std::string(rest.substr(kLine.size(), colon - kLine.size()));
    rest = rest.substr(colon + 1);
  }
  rest = trimmed(rest);
  const size_t pid = rest.find_first_not_of(kDigits);
  if (pid == 0 || pid == std::string_view::npos) return std::nullopt;
  rest = trimmed(rest.substr(pid));
  const SignalWords* signal = signal_at_begin(rest);
  if (signal == nullptr) return std::nullopt;
  rest = trimmed(rest.substr(signal->words.size()));
  if (rest.starts_with(trimmed(kCore))) rest = trimmed(rest.substr(trimmed(kCore).size()));
  return ShellReport{(rest.empty() ? "a program" : std::string(rest)) + " was killed by " + std::string(signal->name),
                     place};
}

std::string loader_report(std::string_view text) {
  constexpr std::string_view kWorker = "DataLoader worker (pid";
  constexpr std::string_view kKilled = "is killed by signal: ";
  constexpr std::string_view kExit = "exited unexpectedly with exit code ";
  const size_t worker = text.find(kWorker);
  if (worker == std::string_view::npos) return std::string(text);
  const std::string who = std::string(text.substr(0, worker)) + "DataLoader worker ";
  if (const size_t at = text.find(kKilled); at != std::string_view::npos) {
    const SignalWords* signal = signal_at_begin(text.substr(at + kKilled.size()));
    if (signal != nullptr) return who + "was killed by " + std::string(signal->name);
  }
  if (const size_t at = text.find(kExit); at != std::string_view::npos) {
    const std::string_view code = text.substr(at + kExit.size());
    return who + "exited with code " + std::string(code.substr(0, code.find_first_not_of(kDigits)));
  }
  constexpr std::string_view kSeveral = "(s)";
  const bool several = text.substr(worker + kWorker.size()).starts_with(kSeveral);
  const size_t end = text.find(") ", worker + kWorker.size() + (several ? kSeveral.size() : 0));
  return end == std::string_view::npos ? std::string(text) : who + std::string(text.substr(end + 2));
}

bool launcher_kills_itself(OutputLines lines) {
  const auto last =
      std::find_if(lines.rbegin(), lines.rend(), [](const OutputLine& line) { return !line.text.empty(); });
  return last != lines.rend() && contains(last->text, kRestKilled);
}

std::string torchrun_report(OutputLines lines) {
  std::string program;
  std::string_view rank;
  std::string_view code;
  for (const OutputLine& line : lines) {
    constexpr std::string_view kFailed = " FAILED";
    if (program.empty() && line.text.ends_with(kFailed))
      program = line.text.substr(0, line.text.size() - kFailed.size());
    if (const auto found = value_of(line.text, "rank "); !found.empty()) rank = first_word(found);
    if (const auto found = value_of(line.text, "exitcode "); !found.empty()) code = found;
  }
  // The root cause is the last one.
  if (program.empty() || rank.empty() || code.empty()) return "";
  return "torchrun: rank " + std::string(rank) + " of " + program + " " + end_in_words(code);
}

}  // namespace muster
