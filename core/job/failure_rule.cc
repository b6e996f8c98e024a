// SPDX-License-Identifier: Apache-2.0
#include "core/job/failure_rule.h"

#include <charconv>
#include <vector>

#include "core/base/text.h"
#include "core/job/names.h"

namespace muster {
namespace {

using Kind = FailureRule::Kind;

constexpr std::string_view kExit = "exit ";
constexpr std::string_view kException = "exception ";
constexpr std::string_view kMessage = "message ";
constexpr std::string_view kGroup = "group ";
constexpr size_t kLongestText = 200;

std::optional<int> exit_code_of(std::string_view text) {
  constexpr int kLastCode = 255;
  int code = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || code < 1 || code > kLastCode) return std::nullopt;
  return code;
}

// One line of printable text that is not only stars and spaces.
bool is_failure_text(std::string_view text) {
  return !text.empty() && text.size() <= kLongestText && !has_control(text) && is_text(text) && text.front() != ' ' &&
         text.back() != ' ' && text.find_first_not_of('*') != std::string_view::npos;
}

bool is_dotted_name(std::string_view text) {
  return is_failure_text(text) && text.find_first_of(" *:'\"()") == std::string_view::npos;
}

std::optional<FailureRule> parse_ungrouped(std::string_view text) {
  if (text == "oom") return FailureRule{Kind::oom};
  if (text == "lost") return FailureRule{Kind::lost};
  if (text == "hang") return FailureRule{Kind::hang};
  if (const auto signal = signal_number(text)) return FailureRule{Kind::signal, *signal};
  if (text.starts_with(kExit)) {
    const auto code = exit_code_of(text.substr(kExit.size()));
    return code ? std::optional(FailureRule{Kind::exit_code, *code}) : std::nullopt;
  }
  if (text.starts_with(kException) && is_dotted_name(text.substr(kException.size())))
    return FailureRule{Kind::exception, 0, std::string(text.substr(kException.size()))};
  if (text.starts_with(kMessage) && is_failure_text(text.substr(kMessage.size())))
    return FailureRule{Kind::message, 0, std::string(text.substr(kMessage.size()))};
  return std::nullopt;
}

std::string ungrouped(const FailureRule& rule) {
  switch (rule.kind) {
    case Kind::exit_code: return std::string(kExit) + std::to_string(rule.number);
    case Kind::signal: return signal_name(rule.number);
    case Kind::oom: return "oom";
    case Kind::exception: return std::string(kException) + rule.text;
    case Kind::message: return std::string(kMessage) + rule.text;
    case Kind::lost: return "lost";
    case Kind::hang: return "hang";
    case Kind::any: break;
  }
  return "";
}

// The name matches with or without its module: "torch.cuda.OutOfMemoryError: CUDA out of memory … at train.py:41" is an
// OutOfMemoryError.
bool is_exception(std::string_view said, std::string_view name) {
  const std::string_view raised = said.substr(0, said.find_first_of(": "));
  if (raised == name) return true;
  return raised.size() > name.size() && raised.ends_with(name) && raised[raised.size() - name.size() - 1] == '.';
}

// Python exits with 1, or by a signal, after an uncaught exception. Any other code was chosen by the program.
bool chose_its_code(const ExitStatus& status) { return status.kind == ExitStatus::Kind::exited && status.code != 1; }

}  // namespace

std::string to_string(const FailureRule& rule) {
  const std::string text = ungrouped(rule);
  if (rule.group.empty()) return text;
  return std::string(kGroup) + rule.group + (text.empty() ? "" : " ") + text;
}

std::optional<FailureRule> parse_failure_rule(std::string_view text) {
  if (!text.starts_with(kGroup)) return parse_ungrouped(text);
  text.remove_prefix(kGroup.size());
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view group = text.substr(0, end);
  if (!is_name(group)) return std::nullopt;
  std::optional<FailureRule> rule = FailureRule{Kind::any};
  if (end < text.size()) rule = parse_ungrouped(text.substr(end + 1));
  if (rule) rule->group = group;
  return rule;
}

std::optional<std::string> failure_rule_meant(const std::string& text) {
  if (exit_code_of(text)) return std::string(kExit) + text;
  if (signal_number("SIG" + text)) return "SIG" + text;
  std::vector<std::string> known = {"oom", "lost", "hang"};
  for (int number = 1; number <= 31; ++number) known.push_back(signal_name(number));
  return nearest(text, known);
}

bool matches(const FailureRule& rule, const ExitStatus& status) {
  switch (rule.kind) {
    case Kind::exit_code: return status.kind == ExitStatus::Kind::exited && status.code == rule.number;
    case Kind::signal: return status.kind == ExitStatus::Kind::signalled && status.signal == rule.number;
    case Kind::oom: return status.oom;
    case Kind::exception: return !chose_its_code(status) && is_exception(status.detail, rule.text);
    case Kind::message: return contains_pattern(status.detail, rule.text);
    case Kind::any: return true;
    case Kind::lost:
    case Kind::hang: return false;
  }
  return false;
}

// Matches each piece between stars as early as possible, so that the rest of the text is as long as possible.
bool contains_pattern(std::string_view text, std::string_view pattern) {
  for (const std::string& piece : split(std::string(pattern), '*')) {
    const size_t at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
  }
  return true;
}

}  // namespace muster
