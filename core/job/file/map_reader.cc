// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/base/text.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

constexpr size_t kMostKeysShown = 20;

std::vector<std::string> names_of(std::span<const Key> keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.emplace_back(key.name);
  return names;
}

// Suggests a key: the one that other tools call `name`, else the one with the most similar spelling.
void suggest_key(Diagnostic& problem, std::span<const Key> keys, const std::string& name) {
  const auto path = familiar_path(name);
  if (path && *path == name) {
    problem.label = "`" + name + "` belongs at the top of a job file";
  } else if (path && (path->find('.') != std::string::npos || find_key(keys, *path) != nullptr)) {
    problem.label = "did you mean `" + *path + "`?";
    if (find_key(keys, *path) != nullptr) problem.suggestions = {*path};
  } else if (const auto near = nearest(name, names_of(keys))) {
    problem.label = "did you mean `" + *near + "`?";
    problem.suggestions = {*near};
  } else {
    problem.help = "known keys: " + short_list(names_of(keys), kMostKeysShown);
  }
}

void report_unknown(ReadTarget& target, std::span<const Key> keys, const YamlEntry& entry, const std::string& title) {
  Diagnostic problem;
  problem.code = "E1201";
  problem.where = entry.key_where;
  problem.message = "unknown key `" + entry.key + "` in " + title;
  if (!target.sink.full()) suggest_key(problem, keys, entry.key);
  target.sink.add(std::move(problem));
}

}  // namespace

void report_duplicates(ReadTarget& target, const YamlNode& map) {
  std::map<std::string_view, const YamlEntry*> first;
  for (const YamlEntry& entry : map.entries) {
    const auto [at, fresh] = first.emplace(entry.key, &entry);
    if (fresh) continue;
    Diagnostic problem;
    problem.code = "E1202";
    problem.where = entry.key_where;
    problem.message = "`" + entry.key + "` is given twice";
    problem.label = "first on line " + std::to_string(at->second->key_where.line);
    problem.help = "remove one of the two: YAML readers disagree on which one counts";
    target.sink.add(std::move(problem));
  }
}

void read_map(ReadTarget& target, std::span<const Key> keys, const YamlNode& map, const std::string& path,
              const std::string& title) {
  report_duplicates(target, map);
  for (const YamlEntry& entry : map.entries) {
    const Key* key = find_key(keys, entry.key);
    if (key == nullptr) {
      report_unknown(target, keys, entry, title);
    } else {
      read_value(target, *key, entry.value, path + entry.key);
    }
  }
}

void read_value(ReadTarget& target, const Key& key, const YamlNode& value, const std::string& path) {
  target.places[path] = value.where;
  const bool is_map = value.kind == YamlNode::Kind::map;
  if (key.type != KeyType::map || (has_short_form(key) && !is_map)) {
    ValueReader reader(target, key, value, path);
    return key.read(reader);
  }
  if (value.kind == YamlNode::Kind::null) return;  // all its values are commented out
  if (is_map) return read_map(target, key.children, value, path + ".", "`" + std::string(key.name) + "`");
  Diagnostic problem;
  problem.code = "E1101";
  problem.where = value.where;
  problem.message = "`" + std::string(key.name) + "` must be " + wanted(key);
  // The key of the number of ranks differs by one letter.
  const bool is_number =
      value.text == "auto" || (!value.text.empty() && value.text.find_first_not_of("0123456789") == std::string::npos);
  if (key.name == std::string_view("worker") && value.kind == YamlNode::Kind::scalar && is_number)
    problem.help = "to set the number of ranks per node, write workers: " + escaped(value.text);
  else
    problem.help = "known keys: " + short_list(names_of(key.children), kMostKeysShown);
  target.sink.add(std::move(problem));
}

}  // namespace muster
