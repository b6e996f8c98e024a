// SPDX-License-Identifier: Apache-2.0
// PmiMessage: one message of PMI-1 ("cmd=put key=a value=b\n") or PMI-2 ("    21cmd=kvs-put;key=a;value=b;"). Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster {

// Names and values in the order of the message.
class PmiMessage {
 public:
  // A line of PMI-1 without its newline. Blanks separate the pairs; the value of `value` and `message` is the rest of the line. nullopt:
  // a word is not NAME=VALUE.
  static std::optional<PmiMessage> of_line(std::string_view line);

  // The text of a PMI-2 message, without its length. A `;` ends each value; `;;` is a semicolon in it. nullopt: it is not of this form.
  static std::optional<PmiMessage> of_fields(std::string_view text);

  explicit PmiMessage(const std::string& command) { add("cmd", command); }

  PmiMessage& add(const std::string& name, const std::string& value);

  // The first value with this name; empty: there is none.
  std::string get(std::string_view name) const;
  bool has(std::string_view name) const;
  std::string command() const { return get("cmd"); }

  // With the newline. Values must have none.
  std::string as_line() const;
  // With the length in front: six characters.
  std::string as_fields() const;

 private:
  PmiMessage() = default;
  std::vector<std::pair<std::string, std::string>> pairs_;
};

// Characters of the length in front of a PMI-2 message.
constexpr size_t kPmiLengthSize = 6;
// Longest line of PMI-1, and longest message of PMI-2, in bytes.
constexpr size_t kPmiLongest = 64 * 1024;

}  // namespace muster
