// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/tree/references.h"

#include <algorithm>
#include <functional>

#include "core/base/text.h"
#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

// `text` with each literal part and each name replaced by what the functions return.
std::string rewritten(std::string_view text, const std::function<std::string(std::string)>& of_literal,
                      const std::function<std::string(std::string)>& of_name) {
  std::string result;
  bool name = false;
  for (const std::string& part : split(text, kReferenceMark)) {
    if (name || !part.empty()) result += name ? of_name(part) : of_literal(part);
    name = !name;
  }
  return result;
}

std::string unchanged(std::string text) { return text; }

std::string in_shell(const std::string& name) { return "\"${" + name + "-\\$(" + name + ")}\""; }

}  // namespace

bool is_shell_variable(std::string_view name) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  constexpr std::string_view kMore = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !name.empty() && kLetters.find(name[0]) != std::string_view::npos &&
         name.find_first_not_of(kMore) == std::string_view::npos;
}

std::string reference_to(std::string_view name) {
  return std::string(1, kReferenceMark) + std::string(name) + kReferenceMark;
}

std::vector<std::string> references_in(std::string_view text) {
  std::vector<std::string> names;
  rewritten(text, unchanged, [&](std::string name) { return names.emplace_back(std::move(name)); });
  return names;
}

std::string as_written(std::string_view text) {
  return rewritten(text, unchanged, [](const std::string& name) { return "$(" + name + ")"; });
}

void rename_references(std::vector<YamlNode>& words, std::string_view name, std::string_view other) {
  for (YamlNode& word : words)
    word.text = rewritten(word.text, unchanged,
                          [&](const std::string& each) { return reference_to(each == name ? other : each); });
}

void refer_to_value(YamlNode& word, const std::string& name, const std::string& value) {
  const std::string reference = reference_to(name);
  std::vector<std::string> parts = split(word.text, kReferenceMark);
  for (size_t i = 0; i < parts.size(); i += 2) {  // the others are names
    for (size_t at = parts[i].find(value); at != std::string::npos; at = parts[i].find(value, at + reference.size()))
      parts[i].replace(at, value.size(), reference);
  }
  word.text = join(parts, std::string(1, kReferenceMark));
}

std::vector<YamlNode> fill_references(std::vector<YamlNode> words) {
  const bool any = std::any_of(words.begin(), words.end(), [](const YamlNode& word) {
    return word.text.find(kReferenceMark) != std::string::npos;
  });
  if (!any) return words;
  std::string script = "exec";
  for (const YamlNode& word : words) {
    const bool literal = word.text.find(kReferenceMark) == std::string::npos;
    script += " " + (literal ? shell_line({word.text})
                             : rewritten(
                                   word.text, [](const std::string& part) { return shell_line({part}); }, in_shell));
  }
  const SourceRange& where = words.front().where;
  return {text_node("/bin/sh", where), text_node("-c", where), text_node(std::move(script), where)};
}

}  // namespace muster
