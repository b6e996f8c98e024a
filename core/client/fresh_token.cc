// SPDX-License-Identifier: Apache-2.0
#include "core/client/fresh_token.h"

#include <sys/random.h>

#include <array>

namespace muster {

Result<std::string> fresh_token() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, 32> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Status(Code::internal, "cannot read random bytes from the kernel; try again");
  std::string text;
  for (const unsigned char byte : bytes) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace muster
