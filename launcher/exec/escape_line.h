// SPDX-License-Identifier: Apache-2.0
// EscapeLine: finds `Enter ~ .` in typed bytes, which leaves a terminal that does not answer, as in ssh. `~~` is one `~`. A value.
#pragma once

#include <string>
#include <string_view>

namespace muster {

class EscapeLine {
 public:
  // Returns the bytes for the program. Sets `left` when the escape was typed.
  std::string pass(std::string_view typed, bool& left);

 private:
  enum class At { begin, middle, tilde } at_ = At::begin;
};

}  // namespace muster
