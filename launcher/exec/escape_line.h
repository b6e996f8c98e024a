// Finds `Enter ~ .`, which leaves a terminal that does not answer, among typed bytes, as ssh does: `~~` is one `~`. A value.
#pragma once

#include <string>
#include <string_view>

namespace muster {

class EscapeLine {
 public:
  // The bytes that are for the program; `left` is set once the keys were typed.
  std::string pass(std::string_view typed, bool& left);

 private:
  enum class At { begin, middle, tilde } at_ = At::begin;
};

}  // namespace muster
