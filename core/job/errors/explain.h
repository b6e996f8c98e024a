// SPDX-License-Identifier: Apache-2.0
// The explanation of each code of a diagnostic, for `muster explain CODE`: meaning, examples, correction. Codes are
// stable. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

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

// A failure that names its explanation: appends " (muster explain CODE)" to `sentence`.
Status explained(Code status_code, const std::string& sentence, const char* code);

// The parts of a message of explained(), "SENTENCE; WHAT TO DO (muster explain CODE)". Without a code, all of it is the
// sentence. A fix that only says that nothing was created is left out.
struct MessageParts {
  std::string sentence;
  std::string fix;
  std::string code;
  bool operator==(const MessageParts&) const = default;
};
MessageParts message_parts(std::string_view message);

}  // namespace muster
