// SPDX-License-Identifier: Apache-2.0
#include "core/node/pmi/pmi_message.h"

#include <algorithm>

namespace muster {
namespace {

bool takes_rest_of_line(std::string_view name) { return name == "value" || name == "message"; }

}  // namespace

std::optional<PmiMessage> PmiMessage::of_line(std::string_view line) {
  PmiMessage message;
  while (true) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    const size_t equals = line.find('=');
    const size_t blank = line.find(' ');
    if (equals == std::string_view::npos || equals == 0 || equals > blank) return std::nullopt;
    const std::string_view name = line.substr(0, equals);
    const size_t end = takes_rest_of_line(name) ? line.size() : std::min(blank, line.size());
    message.add(std::string(name), std::string(line.substr(equals + 1, end - equals - 1)));
    line.remove_prefix(end);
  }
  return message;
}

std::optional<PmiMessage> PmiMessage::of_fields(std::string_view text) {
  PmiMessage message;
  while (!text.empty()) {
    const size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0 || text.substr(0, equals).find(';') != std::string_view::npos)
      return std::nullopt;
    std::string value;
    size_t at = equals + 1;
    for (; at < text.size(); ++at) {
      if (text[at] == ';' && (at + 1 == text.size() || text[at + 1] != ';')) break;
      if (text[at] == ';') ++at;
      value += text[at];
    }
    if (at == text.size()) return std::nullopt;
    message.add(std::string(text.substr(0, equals)), value);
    text.remove_prefix(at + 1);
  }
  return message;
}

PmiMessage& PmiMessage::add(const std::string& name, const std::string& value) {
  pairs_.emplace_back(name, value);
  return *this;
}

std::string PmiMessage::get(std::string_view name) const {
  const auto found = std::find_if(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first == name; });
  return found == pairs_.end() ? "" : found->second;
}

bool PmiMessage::has(std::string_view name) const {
  return std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return pair.first == name; });
}

std::string PmiMessage::as_line() const {
  std::string line;
  for (const auto& [name, value] : pairs_) line += (line.empty() ? "" : " ") + name + "=" + value;
  return line + "\n";
}

std::string PmiMessage::as_fields() const {
  std::string text;
  for (const auto& [name, value] : pairs_) {
    text += name + "=";
    for (const char c : value) text += c == ';' ? std::string(";;") : std::string(1, c);
    text += ";";
  }
  std::string length = std::to_string(text.size());
  length.insert(0, kPmiLengthSize - std::min(kPmiLengthSize, length.size()), ' ');
  return length + text;
}

}  // namespace muster
