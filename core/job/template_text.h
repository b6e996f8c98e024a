// Templates of `framework: custom`: text in which ${rank} and the like stand for a rank's own values; $$ is a dollar.
// Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A word that may stand in a template, and what it becomes.
struct TemplateWord {
  std::string_view name;
  std::string_view means;
};
const std::vector<TemplateWord>& template_vocabulary();
std::vector<std::string> template_words();

// ${port} and ${port_2}, ${port_3} and so on: the number of the TCP port of its rank that the word stands for; 0: it is no such word.
uint32_t port_of_word(std::string_view word);
// How many TCP ports each rank needs for the words of `text`.
uint32_t ports_of_template(std::string_view text);

// The first word of `text` that is not in the vocabulary; "" for `${` without its end or a lone `$`.
std::optional<std::string> strange_word_of_template(std::string_view text);

// `value_of` is asked for each word; what it does not know stays as it stands.
using TemplateValue = std::function<std::optional<std::string>(std::string_view word)>;
std::string fill_template(std::string_view text, const TemplateValue& value_of);

}  // namespace muster
