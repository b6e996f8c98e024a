// SPDX-License-Identifier: Apache-2.0
// Text of a command that may have thousands of words. Pure.
#pragma once

#include <string>
#include <vector>

namespace muster {

// The words joined by spaces. Of more than `limit` bytes only the first words are shown, then "… (N more words, SIZE)".
std::string short_command(const std::vector<std::string>& words, size_t limit = 4000);

}  // namespace muster
