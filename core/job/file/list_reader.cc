// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/list_reader.h"

#include <cctype>

#include "core/base/text.h"
#include "core/job/document/yaml_traps.h"
#include "core/job/failure_rule.h"

namespace muster {
namespace {

constexpr size_t kLongestExample = 200;

// `word` as an entry of a YAML flow list, quoted if needed.
std::string flow_word(const std::string& word) {
  const bool number = !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos;
  const bool simple = !word.empty() && word.find_first_of("\"'\\,[]{}#&*!|>%@`:?") == std::string::npos;
  if (simple && !number && !find_trap(word)) return word;
  std::string quoted = "\"";
  for (const char byte : word) quoted += byte == '"' || byte == '\\' ? std::string("\\") + byte : std::string(1, byte);
  return quoted + "\"";
}

// The list form of a command that is written as one text.
std::string list_form(const std::string& text) {
  if (text.find_first_of("|&;<>$`*\"'\\\n") != std::string::npos) return "[bash, -c, " + flow_word(text) + "]";
  std::vector<std::string> words;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(flow_word(word));
  }
  return "[" + join(words, ", ") + "]";
}

// Whether `import` accepts the name. Python allows letters of all languages, so bytes above ASCII are accepted.
bool is_module(std::string_view text) {
  bool begins = true;
  for (const char byte : text) {
    const bool letter = std::isalpha(static_cast<unsigned char>(byte)) != 0 || byte == '_' || byte < 0;
    const bool digit = std::isdigit(static_cast<unsigned char>(byte)) != 0;
    if (byte != '.' && !letter && (begins || !digit)) return false;
    if (byte == '.' && begins) return false;
    begins = byte == '.';
  }
  return !begins;
}

// True, after reporting it: the command is written as one text.
bool report_one_text(ValueReader& reader, const YamlNode& item) {
  if (item.kind != YamlNode::Kind::scalar) return false;
  const bool one_of_many = reader.key().type == KeyType::commands;
  const std::string what = one_of_many ? "a command of `" + reader.name() + "`" : "`command`";
  Diagnostic one_text = reader.problem("E1112", item, what + " must be a list of words, not one text");
  one_text.label = "no shell reads it";
  if (item.text.size() <= kLongestExample) {
    one_text.suggestions = {list_form(item.text)};
    one_text.help = (one_of_many ? "write  - " : "write  command: ") + one_text.suggestions[0];
  }
  reader.report(std::move(one_text));
  return true;
}

std::optional<FailureRule> read_failure_rule(ValueReader& reader, const YamlNode& item) {
  if (item.kind != YamlNode::Kind::scalar) {
    reader.report_kind(item, reader.name(), "a rule such as exit 2, SIGBUS or oom");
    return std::nullopt;
  }
  const std::string& text = item.text;
  if (auto rule = parse_failure_rule(text)) return rule;
  Diagnostic unknown =
      reader.problem("E1110", item, "`" + escaped(text.substr(0, kLongestExample)) + "` is not a rule for failures");
  unknown.label =
      "expected exit 1 to exit 255, a signal's name, oom, exception NAME, message TEXT, lost, hang or group NAME …";
  if (const auto meant = failure_rule_meant(text)) {
    suggest(unknown, *meant);
  }
  reader.report(std::move(unknown));
  return std::nullopt;
}

void read_one_group(ValueReader& reader, const YamlNode& item, size_t index, bool alone) {
  const std::string path = reader.path() + "." + std::to_string(index);
  reader.target().places[path] = item.where;
  if (item.kind != YamlNode::Kind::map)
    return reader.report_kind(item, "groups", "maps such as {name: trainer, command: [./train]}");
  GroupSpec group = *reader.target().group;
  if (!alone) group.name.clear();  // names tell several groups apart, so they have no default
  ReadTarget inner = reader.target();
  inner.group = &group;
  read_map(inner, group_keys(), item, path + ".", "a group");
  reader.target().job.groups.push_back(std::move(group));
}

}  // namespace

void read_commands(ValueReader& reader, std::vector<std::vector<std::string>>& value) {
  if (reader.node().kind != YamlNode::Kind::sequence) return reader.report_kind();
  std::vector<std::vector<std::string>> commands;
  for (const YamlNode& item : reader.node().items) {
    if (report_one_text(reader, item)) continue;
    if (item.kind != YamlNode::Kind::sequence || item.items.empty()) {
      reader.report_kind(item, reader.name(), wanted(reader.key()));
      continue;
    }
    std::vector<std::string>& words = commands.emplace_back();
    for (const YamlNode& each : item.items) {
      if (auto text = reader.word(each, reader.name())) words.push_back(std::move(*text));
    }
  }
  value = std::move(commands);
}

void read_command(ValueReader& reader, std::vector<std::string>& value) {
  if (report_one_text(reader, reader.node())) return;
  if (reader.node().kind != YamlNode::Kind::sequence)
    return reader.report_kind(reader.node(), "command", wanted(reader.key()));
  std::vector<std::string> words;
  for (const YamlNode& item : reader.node().items) {
    auto text = reader.word(item, "command");
    if (!text) continue;
    reader.target().places[reader.path() + "." + std::to_string(words.size())] = item.where;
    words.push_back(std::move(*text));
  }
  value = std::move(words);
}

void read_words(ValueReader& reader, std::vector<std::string>& value) {
  if (reader.node().kind != YamlNode::Kind::sequence) return reader.report_kind();
  std::vector<std::string> words;
  for (const YamlNode& item : reader.node().items) {
    if (auto text = reader.word(item, reader.name())) words.push_back(std::move(*text));
  }
  value = std::move(words);
}

void read_paths(ValueReader& reader, std::vector<std::string>& value) {
  if (reader.node().kind != YamlNode::Kind::sequence) return reader.report_kind();
  std::vector<std::string> paths;
  for (const YamlNode& item : reader.node().items) {
    auto text = reader.word(item, reader.name());
    if (!text) continue;
    if (text->empty() || text->starts_with('/')) {
      reader.report_kind(item, reader.name(), "paths relative to workdir");
    } else {
      paths.push_back(std::move(*text));
    }
  }
  value = std::move(paths);
}

void read_failure_rules(ValueReader& reader, std::vector<FailureRule>& value) {
  if (reader.node().kind != YamlNode::Kind::sequence) return reader.report_kind();
  std::vector<FailureRule> rules;
  for (const YamlNode& item : reader.node().items) {
    reader.target().places[reader.path() + "." + std::to_string(rules.size())] = item.where;
    if (const auto rule = read_failure_rule(reader, item)) rules.push_back(*rule);
  }
  value = std::move(rules);
}

// `auto` and `off` are texts, although YAML 1.1 reads `off` as false.
void read_warm(ValueReader& reader, WarmSpec& value) {
  if (reader.node().kind == YamlNode::Kind::scalar) {
    if (reader.node().text == "auto") return void(value = {WarmSpec::Mode::automatic, {}});
    if (reader.node().text == "off") return void(value = {WarmSpec::Mode::off, {}});
    Diagnostic unknown = reader.problem("E1204", reader.node(), "unknown warm `" + reader.node().text + "`");
    unknown.label = "expected " + wanted(reader.key());
    if (is_module(reader.node().text)) unknown.suggestions = {"[" + reader.node().text + "]"};
    return reader.report(std::move(unknown));
  }
  if (reader.node().kind != YamlNode::Kind::sequence) return reader.report_kind();
  std::vector<std::string> modules;
  for (const YamlNode& item : reader.node().items) {
    const auto name = reader.word(item, "warm");
    if (!name) continue;
    if (!is_module(*name)) {
      Diagnostic strange = reader.problem("E1115", item, "`" + *name + "` is not the name of a Python module");
      strange.label = "expected a name as in `import torch.nn`";
      reader.report(std::move(strange));
    }
    modules.push_back(*name);
  }
  value = {WarmSpec::Mode::modules, std::move(modules)};
}

// The target's group has the defaults for every group, such as `worker` of the configuration.
void read_groups(ValueReader& reader) {
  if (reader.node().kind != YamlNode::Kind::sequence)
    return reader.report_kind(reader.node(), "groups", wanted(reader.key()));
  reader.target().job.groups.clear();
  for (size_t i = 0; i < reader.node().items.size(); ++i)
    read_one_group(reader, reader.node().items[i], i, reader.node().items.size() == 1);
}

}  // namespace muster
