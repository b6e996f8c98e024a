// SPDX-License-Identifier: Apache-2.0
// Applies values of flags with the table of keys of the job file.
#include <algorithm>

#include "core/base/text.h"
#include "core/job/file/job_yaml.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

// A key of the table. If the key is a map of names, `name` is the rest of the path: "env.A.B" gives `env` and "A.B".
struct Found {
  const Key* key = nullptr;
  std::string name;
};

Found find_path(std::span<const Key> keys, std::string_view path) {
  const size_t dot = path.find('.');
  const Key* key = find_key(keys, path.substr(0, dot));
  if (key == nullptr || dot == std::string_view::npos) return {key, ""};
  const std::string_view rest = path.substr(dot + 1);
  if (key->type == KeyType::map) return find_path(key->children, rest);
  const bool named = key->type == KeyType::env || key->type == KeyType::labels;
  return named && !rest.empty() ? Found{key, std::string(rest)} : Found{};
}

Diagnostic problem_of(const Override& override, const char* code, std::string message) {
  Diagnostic problem;
  problem.code = code;
  problem.where.file = override.origin;
  problem.message = std::move(message);
  return problem;
}

void add_paths(std::span<const Key> keys, const std::string& prefix, std::vector<std::string>& paths) {
  for (const Key& key : keys) {
    paths.push_back(prefix + std::string(key.name));
    if (key.type == KeyType::map) add_paths(key.children, paths.back() + ".", paths);
  }
}

void report_unknown(ReadTarget& target, const Override& override, std::string_view key) {
  Diagnostic unknown = problem_of(override, "E1201", "unknown key `" + override.key + "`");
  std::vector<std::string> paths;
  add_paths(job_keys(), "", paths);
  auto meant = familiar_path(key);
  if (!meant || *meant == key) meant = nearest(key, paths);
  if (meant) {
    suggest(unknown, *meant);
  }
  target.sink.add(std::move(unknown));
}

// Flags have no lines and columns, so all values are placed at the flag.
void move_to(YamlNode& node, const SourceRange& where) {
  node.where = where;
  for (YamlNode& item : node.items) move_to(item, where);
  for (YamlEntry& entry : node.entries) {
    entry.key_where = where;
    move_to(entry.value, where);
  }
}

YamlNode text_node(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.text = text;
  return node;
}

// Whether `value` is a YAML list. In other values of --hosts, brackets enclose addresses.
bool is_one_list(const std::string& value) {
  return value.starts_with('[') && value.ends_with(']') && value.find('[', 1) == std::string::npos;
}

bool is_taken_as_written(const Found& found, const std::string& value) {
  if (found.key->type == KeyType::text || has_short_form(*found.key)) return true;
  if (found.key->type == KeyType::hosts) return !is_one_list(value);
  if (found.name.empty()) return false;
  return found.key->type == KeyType::labels || !value.starts_with("{from:");
}

YamlNode list_node(const std::vector<std::string>& words, const SourceRange& where) {
  YamlNode list;
  list.kind = YamlNode::Kind::sequence;
  for (const std::string& word : words) list.items.push_back(text_node(word));
  move_to(list, where);
  return list;
}

std::optional<YamlNode> value_of(ReadTarget& target, const Override& override, const Found& found) {
  const SourceRange where{override.origin, 0, 0, 1};
  if (!override.words.empty()) return list_node(override.words, where);
  YamlNode node = text_node(override.value);
  if (!is_taken_as_written(found, override.value)) {
    YamlDocument document = load_yaml(override.value, override.origin);
    if (document.problem) {
      document.problem->where = where;
      target.sink.add(std::move(*document.problem));
      return std::nullopt;
    }
    node = std::move(document.root);
  }
  if (!found.name.empty()) {
    YamlNode map;
    map.kind = YamlNode::Kind::map;
    map.entries.push_back(YamlEntry{found.name, where, std::move(node), false});
    node = std::move(map);
  }
  move_to(node, where);
  return node;
}

void apply_at(ReadTarget& target, const Override& override, std::span<const Key> keys, std::string_view key,
              const std::string& prefix) {
  const Found found = find_path(keys, key);
  if (found.key == nullptr) return report_unknown(target, override, key);
  auto value = value_of(target, override, found);
  if (!value) return;
  const size_t name_length = found.name.empty() ? 0 : found.name.size() + 1;
  read_value(target, *found.key, *value, prefix + std::string(key.substr(0, key.size() - name_length)));
}

void apply_to_group(ReadTarget target, const Override& override, size_t index, std::string_view key) {
  target.group = &target.job.groups[index];
  apply_at(target, override, group_keys(), key, "groups." + std::to_string(index) + ".");
}

std::vector<std::string> group_names(const JobSpec& spec) {
  std::vector<std::string> names;
  for (const GroupSpec& group : spec.groups) names.push_back(group.name);
  return names;
}

// `path` is what follows "groups.": "trainer.nodes".
void apply_to_named_group(ReadTarget& target, const Override& override, std::string_view path) {
  const std::string_view name = path.substr(0, path.find('.'));
  const std::vector<std::string> names = group_names(target.job);
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<size_t>(found - names.begin());
  if (found != names.end())
    return apply_to_group(target, override, index, path.substr(std::min(path.size(), name.size() + 1)));
  Diagnostic unknown = problem_of(override, "E1211", "the job has no group `" + std::string(name) + "`");
  unknown.label = "its groups: " + short_list(names, 10);
  target.sink.add(std::move(unknown));
}

void apply_to_only_group(ReadTarget& target, const Override& override) {
  if (target.job.groups.empty()) target.job.groups.emplace_back();
  if (target.job.groups.size() == 1) return apply_to_group(target, override, 0, override.key);
  Diagnostic ambiguous = problem_of(
      override, "E1211",
      "`" + override.key + "` is a key of a group, and the job has " + count_of(target.job.groups.size(), "group"));
  const std::string key = "groups." + target.job.groups[0].name + "." + override.key;
  ambiguous.label = override.origin.starts_with("-") ? "type --set " + key + "=…" : "write " + key;
  target.sink.add(std::move(ambiguous));
}

void apply_one(ReadTarget& target, const Override& override) {
  constexpr std::string_view kGroups = "groups.";
  const std::string_view key = override.key;
  if (key.starts_with(kGroups)) return apply_to_named_group(target, override, key.substr(kGroups.size()));
  if (is_short_form(key.substr(0, key.find('.')))) return apply_to_only_group(target, override);
  GroupSpec base;
  target.group = &base;
  apply_at(target, override, job_keys(), key, "");
}

// Names the flag that the user typed, not the key of the table: "`--restarts` must be …" instead of "`limit` must be
// …".
void name_as_typed(Diagnostic& problem, const Override& override) {
  constexpr std::string_view kSet = "--set ";
  const bool at_it = problem.where.line == 0 && problem.where.file == override.origin;
  const bool flag = override.origin.starts_with("-") || override.origin.starts_with("MUSTER_");
  const std::string leaf = "`" + override.key.substr(override.key.rfind('.') + 1) + "`";
  if (!at_it || !flag || !problem.message.starts_with(leaf)) return;
  const std::string& name = override.origin.starts_with(kSet) ? override.key : override.origin;
  problem.message.replace(0, leaf.size(), "`" + name + "`");
}

std::vector<Diagnostic> apply(JobSpec& spec, Places& places, const std::vector<Override>& overrides) {
  DiagnosticSink all;
  for (const Override& override : overrides) {
    DiagnosticSink sink;
    ReadTarget target{spec, sink, places, nullptr, nullptr, nullptr, true};
    apply_one(target, override);
    for (Diagnostic& each : sink.take()) {
      name_as_typed(each, override);
      all.add(std::move(each));
    }
  }
  return all.take();
}

}  // namespace

std::vector<Diagnostic> apply_overrides(JobSpec& spec, const std::vector<Override>& overrides) {
  Places places;
  return apply(spec, places, overrides);
}

void apply_overrides(ParsedJob& job, const std::vector<Override>& overrides) {
  for (Diagnostic& each : apply(job.spec, job.places, overrides)) job.diagnostics.push_back(std::move(each));
}

}  // namespace muster
