// SPDX-License-Identifier: Apache-2.0
#include "launcher/view/short_command.h"

#include "core/base/text.h"

namespace muster {

std::string short_command(const std::vector<std::string>& words, size_t limit) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (text.size() + words[i].size() + 1 > limit) {
      size_t left = 0;
      for (size_t rest = i; rest < words.size(); ++rest) left += words[rest].size() + 1;
      return text + (text.empty() ? "" : " ") + "… (" + count_of(words.size() - i, "more word") + ", " +
             humane_size(left) + ")";
    }
    text += (i == 0 ? "" : " ") + words[i];
  }
  return text;
}

}  // namespace muster
