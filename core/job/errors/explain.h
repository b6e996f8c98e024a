// SPDX-License-Identifier: Apache-2.0
// The explanation of each code of a diagnostic, for `muster explain CODE`: meaning, examples, correction. Codes are
// stable. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

struct Explanation {
  std::string code;
  std::string title;
  std::string text;  // paragraphs, one line each, then a wrong and a right example
};

// nullopt: the code is unknown.
std::optional<Explanation> explain(std::string_view code);
// All codes, in ascending order.
std::vector<std::string> explained_codes();

}  // namespace muster
