// The words between an agent and a warm parent (warm_hook.py): a length of four little-endian bytes, then fields that each
// end with a NUL; a list is its count and its fields. Pure.
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

  // As it goes over the wire.
  std::string bytes() const;

 private:
  std::string body_;
};

// Takes the first whole message out of `received`; nothing: it is not there yet.
std::optional<std::vector<std::string>> take_message(std::string& received);

}  // namespace muster
