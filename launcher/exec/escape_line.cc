// SPDX-License-Identifier: Apache-2.0
#include "launcher/exec/escape_line.h"

namespace muster {

std::string EscapeLine::pass(std::string_view typed, bool& left) {
  std::string passed;
  for (const char key : typed) {
    if (at_ == At::tilde && key == '.') {
      left = true;
      return passed;
    }
    if (at_ == At::begin && key == '~') {
      at_ = At::tilde;
      continue;
    }
    if (at_ == At::tilde && key != '~') passed += '~';
    passed += key;
    at_ = key == '\r' || key == '\n' ? At::begin : At::middle;
  }
  return passed;
}

}  // namespace muster
