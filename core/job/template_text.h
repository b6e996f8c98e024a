// SPDX-License-Identifier: Apache-2.0
// Templates of `framework: custom`: texts in which words such as ${rank} are replaced by the values of a rank, and $$
// by a dollar sign. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A word of templates, and the value that replaces it.
struct TemplateWord {
  std::string_view name;
  std::string_view means;
};
const std::vector<TemplateWord>& template_vocabulary();
std::vector<std::string> template_words();

// The number of the rank's TCP port that the word refers to: 1 for ${port}, 2 for ${port_2} and so on; 0 for other
// words.
uint32_t port_of_word(std::string_view word);
// The number of TCP ports that each rank needs for the words in `text`.
uint32_t ports_of_template(std::string_view text);

// The value of ${group_node/4} and ${group_node%4}: the quotient and the remainder of the node's number in its group.
// nullopt: another word.
std::optional<uint32_t> part_of_group_node(std::string_view word, uint32_t group_node);

// The first word in `text` that is unknown; "" for `${` without its end or a single `$`; nullopt if there is none.
std::optional<std::string> strange_word_of_template(std::string_view text);

// Replaces each word by value_of(word). Words without a value stay unchanged.
using TemplateValue = std::function<std::optional<std::string>(std::string_view word)>;
std::string fill_template(std::string_view text, const TemplateValue& value_of);

}  // namespace muster
