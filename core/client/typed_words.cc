// SPDX-License-Identifier: Apache-2.0
#include "core/client/typed_words.h"

#include <algorithm>
#include <charconv>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr size_t longest_rank_list = 65536;

Result<uint32_t> parse_rank(const std::string& flag, const std::string& text) {
  auto number = parse_number(flag, text);
  if (!number.ok()) return number.status();
  if (*number >= UINT32_MAX) return Status(Code::invalid_argument, flag + " " + text + " is too large for a rank");
  return static_cast<uint32_t>(*number);
}

}  // namespace

std::string name_as_typed(const std::string& names, const std::vector<std::string>& typed) {
  const size_t longest = names.find("--");
  if (longest == std::string::npos || longest == 0) return names;
  const std::string brief = names.substr(0, longest - 1);
  const bool is_brief = std::any_of(typed.begin(), typed.end(), [&](const std::string& word) {
    return word.starts_with(brief) && !word.starts_with("--");
  });
  return is_brief ? brief : names.substr(longest);
}

Result<uint64_t> parse_number(const std::string& flag, const std::string& text, uint64_t least) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least) {
    return Status(Code::invalid_argument,
                  flag + " needs a number of at least " + std::to_string(least) + ", not `" + text + "`");
  }
  return number;
}

Result<std::vector<uint32_t>> parse_ranks(const std::string& flag, const std::string& text) {
  std::vector<uint32_t> ranks;
  for (const std::string& part : split(text, ',')) {
    const size_t dash = part.find('-');
    const auto first = parse_rank(flag, part.substr(0, dash));
    if (!first.ok()) return first.status();
    const auto last = dash == std::string::npos ? first : parse_rank(flag, part.substr(dash + 1));
    if (!last.ok()) return last.status();
    if (*last < *first)
      return Status(Code::invalid_argument, flag + " `" + part + "` counts down; write the lower rank first");
    if (*last - *first >= longest_rank_list - ranks.size()) {
      return Status(Code::invalid_argument, flag + " names more than 65,536 ranks");
    }
    for (uint32_t rank = *first; rank <= *last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

}  // namespace muster
