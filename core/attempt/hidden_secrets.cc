// SPDX-License-Identifier: Apache-2.0
#include "core/attempt/hidden_secrets.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/text.h"

namespace muster {
namespace {

using Json = nlohmann::json;

// Shorter ones would occur in many texts by chance.
constexpr size_t kShortestValue = 4;
constexpr size_t kShortestPart = 8;
constexpr size_t kKey = kShortestValue;

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

// The strings in a JSON text, not the names of its members.
void add_strings(const Json& json, std::vector<std::string>& strings, size_t depth = 0) {
  constexpr size_t kDeepest = 64;
  if (json.is_string()) strings.push_back(json.get<std::string>());
  if (!json.is_structured() || depth == kDeepest) return;
  for (const Json& each : json) add_strings(each, strings, depth + 1);
}

void add_lines(std::string_view value, std::vector<std::string>& lines) {
  for (const std::string& line : split(value, '\n')) lines.emplace_back(without_blanks(line));
}

// The parts of a value that are hidden besides the value.
std::vector<std::string> parts_of(std::string_view value) {
  std::vector<std::string> parts;
  add_lines(value, parts);
  const Json json = Json::parse(value, nullptr, false);
  if (!json.is_structured()) return parts;
  std::vector<std::string> strings;
  add_strings(json, strings);
  for (std::string& each : strings) {
    add_lines(each, parts);
    parts.push_back(std::move(each));
  }
  return parts;
}

// As a string in quotes, without them. `quotes`: those that get a backslash.
std::string quoted(std::string_view text, std::string_view quotes) {
  std::string shown;
  for (const char byte : text) {
    if (byte == '\n') {
      shown += "\\n";
    } else if (byte == '\r') {
      shown += "\\r";
    } else if (byte == '\t') {
      shown += "\\t";
    } else {
      if (byte == '\\' || quotes.find(byte) != std::string_view::npos) shown += '\\';
      shown += byte;
    }
  }
  return shown;
}

std::string as_json(std::string_view text, bool ascii) {
  const std::string shown = Json(text).dump(-1, ' ', ascii, Json::error_handler_t::replace);
  return shown.substr(1, shown.size() - 2);
}

// As Python's repr of bytes.
std::string as_bytes(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    shown += byte < 0x80 ? std::string(1, each) : std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 0xf];
  }
  return shown;
}

// In single quotes, without them.
std::string as_shell_word(std::string_view text) {
  std::string shown;
  for (const char byte : text) shown += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return shown;
}

// The ways in which programs print the text. One that is printed in quotes is often printed so again: the repr of a JSON text.
std::set<std::string> forms_of(std::string_view text) {
  std::set<std::string> forms{std::string(text), as_shell_word(text)};
  for (const std::string_view quotes : {"", "'", "\""}) {
    const std::string once = quoted(text, quotes);
    forms.insert({once, as_bytes(once), quoted(once, ""), quoted(once, "\"")});
  }
  forms.insert({as_json(text, false), as_json(text, true)});
  // Views and sentences show texts of programs in this form.
  for (const std::string& form : std::vector<std::string>(forms.begin(), forms.end())) forms.insert(escaped(form));
  return forms;
}

size_t common_length(std::string_view one, std::string_view other) {
  const size_t most = std::min(one.size(), other.size());
  return static_cast<size_t>(std::mismatch(one.begin(), one.begin() + static_cast<long>(most), other.begin()).first -
                             one.begin());
}

// Whether a text that goes on with `rest` was cut before it.
bool cut_before(std::string_view rest) { return rest.empty() || rest.starts_with("…") || rest.starts_with("..."); }

}  // namespace

HiddenSecrets::HiddenSecrets(const std::map<std::string, std::string>& secrets) {
  for (const auto& [name, value] : secrets) {
    add(name, value, kShortestValue);
    add(name, without_blanks(value), kShortestPart);
    for (const std::string& part : parts_of(value)) add(name, part, kShortestPart);
  }
}

void HiddenSecrets::add(const std::string& name, std::string_view text, size_t shortest) {
  if (text.size() < shortest) return;
  for (const std::string& form : forms_of(text)) pieces_[form.substr(0, kKey)].emplace(form, name);
}

HiddenSecrets::Match HiddenSecrets::longest_at(std::string_view text) const {
  Match longest;
  const auto alike = pieces_.find(std::string(text.substr(0, kKey)));
  if (alike == pieces_.end()) return longest;
  for (const auto& [piece, name] : alike->second) {
    const size_t length = common_length(piece, text);
    const bool cut = length >= kShortestPart && cut_before(text.substr(length));
    if ((cut || length == piece.size()) && length > longest.length) longest = {length, name};
  }
  return longest;
}

// Overlapping matches become one, with the name of the longest, so that none leaves the rest of another.
std::string HiddenSecrets::hide(std::string_view text) const {
  std::string shown;
  size_t end = 0;  // of the last match
  Match last;
  const auto show_last = [&] {
    if (last.length > 0) shown += "[" + std::string(last.name) + "]";
  };
  for (size_t at = 0; !empty() && at + kKey <= text.size(); ++at) {
    const Match found = longest_at(text.substr(at));
    if (found.length == 0) continue;
    if (at >= end) {
      show_last();
      shown += text.substr(end, at - end);
    }
    if (at >= end || found.length > last.length) last = found;
    end = std::max(end, at + found.length);
  }
  show_last();
  return shown += text.substr(end);
}

Report HiddenSecrets::hide(Report report) const {
  if (empty()) return report;
  for (RankReport& rank : report.ranks) {
    rank.exit.detail = hide(rank.exit.detail);
    rank.exit.trace = hide(rank.exit.trace);
    if (rank.standing) rank.standing->exception = hide(rank.standing->exception);
  }
  report.trouble = hide(report.trouble);  // it may name the command line of a process
  report.service_failure = hide(report.service_failure);
  report.setup.failure = hide(report.setup.failure);
  return report;
}

}  // namespace muster
