// SPDX-License-Identifier: Apache-2.0
// Text for a protobuf `string`, which must be UTF-8: otherwise the receiver refuses the whole message. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace muster {

// True for well-formed UTF-8 (no overlong forms, surrogates, or code points above U+10FFFF).
bool is_utf8(std::string_view text);

// Returns `text` with each byte that is part of no well-formed character written as \xNN. UTF-8 is unchanged.
std::string wire_text(std::string_view text);

}  // namespace muster
