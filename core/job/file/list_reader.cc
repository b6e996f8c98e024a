// Commands, rules on exits, groups.
#include <cctype>

#include "core/base/text.h"
#include "core/job/document/yaml_traps.h"
#include "core/job/failure_rule.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

constexpr size_t kLongestExample = 200;

// A word as it may stand in a YAML flow list.
std::string flow_word(const std::string& word) {
  const bool number = !word.empty() && word.find_first_not_of("0123456789.") == std::string::npos;
  const bool simple = !word.empty() && word.find_first_of("\"'\\,[]{}#&*!|>%@`:?") == std::string::npos;
  if (simple && !number && !find_trap(word)) return word;
  std::string quoted = "\"";
  for (const char byte : word) quoted += byte == '"' || byte == '\\' ? std::string("\\") + byte : std::string(1, byte);
  return quoted + "\"";
}

// The list form of a command that was written as one text.
std::string list_form(const std::string& text) {
  if (text.find_first_of("|&;<>$`*\"'\\\n") != std::string::npos) return "[bash, -c, " + flow_word(text) + "]";
  std::vector<std::string> words;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) words.push_back(flow_word(word));
  }
  return "[" + join(words, ", ") + "]";
}

// As `import` takes it. Python allows letters of every language: bytes above ASCII pass.
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

}  // namespace

// True: the command was written as one text.
bool ValueReader::report_one_text(const YamlNode& item) {
  if (item.kind != YamlNode::Kind::scalar) return false;
  const bool one_of_many = key_.type == KeyType::commands;
  const std::string what = one_of_many ? "a command of `" + std::string(key_.name) + "`" : "`command`";
  Diagnostic one_text = problem("E1112", item, what + " is a list of words, not one text");
  one_text.label = "no shell reads it";
  if (item.text.size() <= kLongestExample) {
    one_text.suggestions = {list_form(item.text)};
    one_text.help = (one_of_many ? "write  - " : "write  command: ") + one_text.suggestions[0];
  }
  report(std::move(one_text));
  return true;
}

void ValueReader::commands(std::vector<std::vector<std::string>>& value) {
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, std::string(key_.name), wanted(key_));
  std::vector<std::vector<std::string>> commands;
  for (const YamlNode& item : node_.items) {
    if (report_one_text(item)) continue;
    if (item.kind != YamlNode::Kind::sequence || item.items.empty()) {
      report_kind(item, std::string(key_.name), wanted(key_));
      continue;
    }
    std::vector<std::string>& words = commands.emplace_back();
    for (const YamlNode& each : item.items) {
      if (auto text = word(each, std::string(key_.name))) words.push_back(std::move(*text));
    }
  }
  value = std::move(commands);
}

void ValueReader::command(std::vector<std::string>& value) {
  if (report_one_text(node_)) return;
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, "command", wanted(key_));
  std::vector<std::string> words;
  for (const YamlNode& item : node_.items) {
    if (auto text = word(item, "command")) words.push_back(std::move(*text));
  }
  value = std::move(words);
}

void ValueReader::paths(std::vector<std::string>& value) {
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, std::string(key_.name), wanted(key_));
  std::vector<std::string> paths;
  for (const YamlNode& item : node_.items) {
    auto text = word(item, std::string(key_.name));
    if (!text) continue;
    if (text->empty() || text->starts_with('/')) {
      report_kind(item, std::string(key_.name), "paths relative to workdir");
    } else {
      paths.push_back(std::move(*text));
    }
  }
  value = std::move(paths);
}

std::optional<FailureRule> ValueReader::failure_rule(const YamlNode& item) {
  if (item.kind != YamlNode::Kind::scalar) {
    report_kind(item, std::string(key_.name), "a rule such as exit 2, SIGBUS or oom");
    return std::nullopt;
  }
  const std::string& text = item.text;
  if (auto rule = parse_failure_rule(text)) return rule;
  Diagnostic unknown = problem("E1110", item, "`" + escaped(text.substr(0, kLongestExample)) + "` is no way to fail");
  unknown.label = "exit 1 … exit 255, a signal's name, oom, exception NAME, message TEXT, lost, hang, group NAME …";
  if (const auto meant = failure_rule_meant(text)) {
    suggest(unknown, *meant);
  }
  report(std::move(unknown));
  return std::nullopt;
}

void ValueReader::failure_rules(std::vector<FailureRule>& value) {
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, std::string(key_.name), wanted(key_));
  std::vector<FailureRule> rules;
  for (const YamlNode& item : node_.items) {
    target_.places[path_ + "." + std::to_string(rules.size())] = item.where;
    if (const auto rule = failure_rule(item)) rules.push_back(*rule);
  }
  value = std::move(rules);
}

// `auto` and `off` are words here, whatever other readers of YAML make of `off`.
void ValueReader::warm(WarmSpec& value) {
  if (node_.kind == YamlNode::Kind::scalar) {
    if (node_.text == "auto") return void(value = {WarmSpec::Mode::automatic, {}});
    if (node_.text == "off") return void(value = {WarmSpec::Mode::off, {}});
    Diagnostic unknown = problem("E1204", node_, "unknown warm `" + node_.text + "`");
    unknown.label = wanted(key_);
    if (is_module(node_.text)) unknown.suggestions = {"[" + node_.text + "]"};
    return report(std::move(unknown));
  }
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, std::string(key_.name), wanted(key_));
  std::vector<std::string> modules;
  for (const YamlNode& item : node_.items) {
    const auto name = word(item, "warm");
    if (!name) continue;
    if (!is_module(*name)) {
      Diagnostic strange = problem("E1115", item, "`" + *name + "` is no module of Python");
      strange.label = "names with dots between them, as in `import torch.nn`";
      report(std::move(strange));
    }
    modules.push_back(*name);
  }
  value = {WarmSpec::Mode::modules, std::move(modules)};
}

// What configuration says of `worker` holds for every group: it is in the target's group when this is called.
void ValueReader::groups() {
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, "groups", wanted(key_));
  target_.job.groups.clear();
  for (size_t i = 0; i < node_.items.size(); ++i) one_group(node_.items[i], i, node_.items.size() == 1);
}

void ValueReader::one_group(const YamlNode& item, size_t index, bool alone) {
  const std::string path = path_ + "." + std::to_string(index);
  target_.places[path] = item.where;
  if (item.kind != YamlNode::Kind::map)
    return report_kind(item, "groups", "maps such as {name: trainer, command: [./train]}");
  GroupSpec group = *target_.group;
  if (!alone) group.name.clear();  // names tell several groups apart, so they have no default
  ReadTarget inner = target_;
  inner.group = &group;
  read_map(inner, group_keys(), item, path + ".", "a group");
  target_.job.groups.push_back(std::move(group));
}

}  // namespace muster
