// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/agent_token.h"

#include <charconv>
#include <vector>

#include "core/base/text.h"

namespace muster {

std::string text_of(const AgentToken& token) {
  return token.host + " " + token.tag + " " + std::to_string(token.agent);
}

AgentToken agent_token(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() != 3) return {};
  AgentToken token{words[0], words[1]};
  std::from_chars(words[2].data(), words[2].data() + words[2].size(), token.agent);
  return token;
}

}  // namespace muster
