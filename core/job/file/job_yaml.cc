// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/job_yaml.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/document/json_document.h"
#include "core/job/file/runtime_merge.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

constexpr const char* kFirstGroup = "groups.0.";

Diagnostic file_problem(const char* code, const SourceRange& where, std::string message, std::string help) {
  return Diagnostic{Severity::error, code, where, std::move(message), {}, std::move(help), {}};
}

// The map at the top of the document; nullopt, after reporting the problem, if there is none. `may_be_empty`: an empty
// file is not a problem.
std::optional<YamlNode> take_map(YamlDocument document, const std::string& file, bool may_be_empty,
                                 DiagnosticSink& sink) {
  if (document.problem) {
    sink.add(std::move(*document.problem));
  } else if (document.root.kind == YamlNode::Kind::map) {
    return std::move(document.root);
  } else if (document.root.kind != YamlNode::Kind::null) {
    sink.add(file_problem("E1010", document.root.where, "the top level of this file is not a map of keys",
                          "such as  command: [python, train.py]"));
  } else if (!may_be_empty) {
    sink.add(file_problem("E1011", SourceRange{file, 0, 0, 1}, "`" + file + "` is empty",
                          "the shortest job file is  command: [python, train.py]"));
  }
  return std::nullopt;
}

const YamlEntry* find_entry(const YamlNode& map, std::string_view key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &*found;
}

void report_mixed_forms(ReadTarget& target, const YamlNode& map) {
  const YamlEntry* groups = find_entry(map, "groups");
  if (groups == nullptr) return;
  for (const YamlEntry& entry : map.entries) {
    if (!is_short_form(entry.key)) continue;
    Diagnostic mixed =
        file_problem("E1303", entry.key_where, "`" + entry.key + "` cannot be used together with `groups`",
                     "move `" + entry.key + "` into the groups that need it");
    mixed.label = "`groups` is on line " + std::to_string(groups->key_where.line);
    target.sink.add(std::move(mixed));
  }
}

// Reads the keys of a job file. Keys of the short form are keys of the first group.
void read_job(ReadTarget& target, YamlNode map) {
  report_mixed_forms(target, map);
  const bool has_groups = find_entry(map, "groups") != nullptr;
  const auto middle = std::stable_partition(map.entries.begin(), map.entries.end(),
                                            [](const YamlEntry& entry) { return !is_short_form(entry.key); });
  YamlNode of_group;
  of_group.entries.assign(std::make_move_iterator(middle), std::make_move_iterator(map.entries.end()));
  map.entries.erase(middle, map.entries.end());
  // Keys at the top can be defaults of every group, so they are read before `groups`.
  std::stable_partition(map.entries.begin(), map.entries.end(),
                        [](const YamlEntry& entry) { return entry.key != "groups"; });
  read_map(target, job_keys(), map, "", "a job file");
  if (has_groups) return;
  GroupSpec base = *target.group;
  ReadTarget inner = target;
  inner.group = &base;
  read_map(inner, job_keys(), of_group, kFirstGroup, "a job file");
  target.job.groups = {std::move(base)};
}

// A file of a newer format may have unknown keys, so only its version is reported.
bool has_newer_version(ReadTarget& target, const YamlNode& map) {
  const YamlEntry* version = find_entry(map, "version");
  if (version == nullptr) return false;
  const Key* key = find_key(job_keys(), "version");
  DiagnosticSink trial;
  ReadTarget trial_target{target.job, trial, target.places};
  read_value(trial_target, *key, version->value, "version");
  const std::vector<Diagnostic> found = trial.take();
  const bool newer = !found.empty() && found[0].code == "E1210";
  if (newer) target.sink.add(found[0]);
  return newer;
}

std::string config_names() {
  std::vector<std::string> names;
  for (const Key& key : config_keys()) names.emplace_back(key.name);
  std::sort(names.begin(), names.end());
  const std::string last = names.back();
  names.pop_back();
  return join(names, ", ") + " and " + last;
}

void report_misplaced(ReadTarget& target, const YamlNode& map) {
  for (const YamlEntry& entry : map.entries) {
    const Key* key = find_key(job_keys(), entry.key);
    if (key == nullptr || key->in_config) continue;
    Diagnostic misplaced =
        file_problem("E1203", entry.key_where, "`" + entry.key + "` belongs in a job file, not in configuration",
                     "configuration takes " + config_names());
    target.sink.add(std::move(misplaced));
  }
}

void read_layer(ReadTarget& target, const ConfigLayer& layer) {
  auto map = take_map(load_yaml(layer.text, layer.file), layer.file, true, target.sink);
  if (!map) return;
  report_misplaced(target, *map);
  std::erase_if(map->entries, [](const YamlEntry& entry) {
    const Key* key = find_key(job_keys(), entry.key);
    return key != nullptr && !key->in_config;
  });
  const std::vector<Key> keys = config_keys();
  read_map(target, keys, *map, "", "configuration");
}

std::vector<YamlNode> read_templates(const std::vector<ConfigLayer>& runtimes, DiagnosticSink& sink) {
  std::vector<YamlNode> maps;
  for (const ConfigLayer& runtime : runtimes) {
    if (auto map = take_map(load_yaml(runtime.text, runtime.file), runtime.file, true, sink))
      maps.push_back(std::move(*map));
  }
  return maps;
}

ParsedJob read_document(YamlDocument document, const std::string& file, const std::vector<ConfigLayer>& layers,
                        const std::vector<ConfigLayer>& runtimes = {}) {
  ParsedJob parsed;
  DiagnosticSink sink;
  GroupSpec base;
  ReadTarget target{parsed.spec, sink, parsed.places, &base};
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) read_layer(target, *layer);
  auto map = take_map(std::move(document), file, false, sink);
  if (map && !has_newer_version(target, *map))
    read_job(target, over_templates(std::move(*map), read_templates(runtimes, sink), sink));
  parsed.diagnostics = sink.take();
  return parsed;
}

}  // namespace

ParsedJob parse_job_with_config(std::string_view text, const std::string& file, const std::vector<ConfigLayer>& layers,
                                const std::vector<ConfigLayer>& runtimes) {
  return read_document(load_yaml(text, file), file, layers, runtimes);
}

ParsedJob parse_job_tree(YamlNode tree, const std::string& file, const std::vector<ConfigLayer>& layers,
                         const std::vector<ConfigLayer>& runtimes) {
  return read_document({std::move(tree), std::nullopt}, file, layers, runtimes);
}

std::optional<PlacedText> text_at(std::string_view text, const std::string& file, std::string_view key) {
  const YamlDocument document = load_yaml(text, file);
  const YamlEntry* entry = document.problem ? nullptr : find_entry(document.root, key);
  if (entry == nullptr || entry->value.kind != YamlNode::Kind::scalar) return std::nullopt;
  return PlacedText{entry->value.text, entry->value.where};
}

ParsedJob parse_job(std::string_view text, const std::string& file) { return parse_job_with_config(text, file, {}); }

ParsedJob parse_job_json(std::string_view text, const std::string& file) {
  return read_document(load_json(text, file), file, {});
}

}  // namespace muster
