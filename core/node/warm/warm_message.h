// SPDX-License-Identifier: Apache-2.0
// Messages between an agent and a warm parent (warm_hook.py): a length (4 bytes, little-endian), then fields that each end
// with a NUL. A list is its count followed by its fields. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

class WarmMessage {
 public:
  explicit WarmMessage(std::string_view word) { text(word); }
  WarmMessage& text(std::string_view value);  // without a NUL
  WarmMessage& number(int64_t value);
  WarmMessage& list(const std::vector<std::string>& values);

  // The encoded message.
  std::string bytes() const;

 private:
  std::string body_;
};

// Removes the first complete message from `received`; nullopt: none is complete yet.
std::optional<std::vector<std::string>> take_message(std::string& received);

}  // namespace muster
