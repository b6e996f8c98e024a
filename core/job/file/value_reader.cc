// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/value_reader.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/base/text.h"
#include "core/job/document/yaml_traps.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null: return "nothing";
    case YamlNode::Kind::scalar: return "`" + node.text + "`";
    case YamlNode::Kind::sequence: return "a list";
    case YamlNode::Kind::map: return "a map";
  }
  return "nothing";
}

// The choice that other tools call `word`.
std::optional<std::string> familiar_choice(const std::string& word) {
  constexpr std::array<std::array<std::string_view, 2>, 8> kOthers = {{{"pytorch", "torch"},
                                                                       {"ddp", "torch"},
                                                                       {"torchrun", "torch"},
                                                                       {"none", "plain"},
                                                                       {"k8s", "kubernetes"},
                                                                       {"kube", "kubernetes"},
                                                                       {"jobset", "kubernetes"},
                                                                       {"localhost", "local"}}};
  for (const auto& [theirs, ours] : kOthers) {
    if (theirs == word) return std::string(ours);
  }
  return std::nullopt;
}

std::optional<std::string> choice_meant(const std::string& word, const std::vector<std::string>& choices) {
  const auto familiar = familiar_choice(lower(word));
  if (familiar && std::find(choices.begin(), choices.end(), *familiar) != choices.end()) return familiar;
  return nearest(lower(word), choices);
}

}  // namespace

Diagnostic ValueReader::problem(const char* code, const YamlNode& at, std::string message) const {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.where = at.where;
  diagnostic.message = std::move(message);
  return diagnostic;
}

void ValueReader::report_kind(const YamlNode& at, const std::string& what, const std::string& wants) {
  if (at.kind == YamlNode::Kind::null) {
    Diagnostic missing = problem("E1113", at, "`" + what + "` has no value");
    missing.label = "expected " + wants;
    return report(std::move(missing));
  }
  report(problem("E1101", at, "`" + what + "` must be " + wants + ", not " + kind_name(at)));
}

const std::string* ValueReader::scalar() {
  if (node_.kind == YamlNode::Kind::scalar) return &node_.text;
  report_kind();
  return nullptr;
}

std::optional<std::string> ValueReader::word(const YamlNode& item, const std::string& what) {
  if (item.kind != YamlNode::Kind::scalar) {
    const bool written = item.kind == YamlNode::Kind::null && !item.text.empty();
    if (written && target_.from_command_line) return item.text;
    report_kind(item, what, written ? "a text; quote it: \"" + item.text + "\"" : "a text (\"\" for an empty one)");
    return std::nullopt;
  }
  const bool safe = item.quoted || target_.from_command_line;
  const auto trap = safe ? std::nullopt : find_trap(item.text);
  if (!trap) return item.text;
  Diagnostic ambiguous = problem(trap->code, item, trap->reason);
  ambiguous.suggestions = {"\"" + item.text + "\""};
  ambiguous.label = "quote it: " + ambiguous.suggestions[0];
  report(std::move(ambiguous));
  return std::nullopt;
}

void ValueReader::text(std::string& value) {
  if (auto found = word(node_, std::string(key_.name))) value = std::move(*found);
}

bool is_runtime_name(std::string_view name) {
  constexpr size_t kLongest = 128;
  return !name.empty() && name.size() <= kLongest && name[0] != '.' && name[0] != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == name.npos;
}

void ValueReader::runtime() {
  const auto name = word(node_, "runtime");
  if (!name || name->empty() || is_runtime_name(*name)) return;  // "" means no runtime, even if configuration names one
  Diagnostic strange = problem("E1212", node_, "`" + *name + "` is not a valid name for a runtime");
  strange.label = "use letters, digits, `.`, `_` and `-`, as in torch-gpu";
  strange.help = "muster runtimes lists all runtimes";
  report(std::move(strange));
}

void ValueReader::truth(bool& value) {
  const std::string* text = scalar();
  if (text == nullptr) return;
  if (*text == "true" || *text == "false") {
    value = *text == "true";
    return;
  }
  report(problem("E1114", node_, "`" + std::string(key_.name) + "` must be true or false, not `" + *text + "`"));
}

std::optional<size_t> ValueReader::choice_index() {
  const std::string* text = scalar();
  if (text == nullptr) return std::nullopt;
  const auto found = std::find(key_.choices.begin(), key_.choices.end(), *text);
  if (found != key_.choices.end()) return static_cast<size_t>(found - key_.choices.begin());
  const std::vector<std::string> choices(key_.choices.begin(), key_.choices.end());
  Diagnostic unknown = problem("E1204", node_, "unknown " + std::string(key_.name) + " `" + *text + "`");
  if (const auto meant = choice_meant(*text, choices)) {
    suggest(unknown, *meant);
  } else {
    unknown.label = "expected " + wanted(key_);
  }
  report(std::move(unknown));
  return std::nullopt;
}

}  // namespace muster
