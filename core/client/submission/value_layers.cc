// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/value_layers.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/client/submission/effective.h"
#include "core/client/typed_words.h"
#include "core/job/file/job_keys.h"
#include "core/job/file/written_value.h"

namespace muster {
namespace {

// The table row of a dotted key; for a variable or label, the row of its map.
const Key* row_of(std::span<const Key> keys, const std::string& path) {
  const size_t dot = path.find('.');
  const Key* key = find_key(keys, path.substr(0, dot));
  if (key == nullptr || dot == std::string::npos) return key;
  const std::string rest = path.substr(dot + 1);
  if (key->type == KeyType::map) return row_of(key->children, rest);
  if (key->type == KeyType::groups) {
    const size_t name = rest.find('.');
    return name == std::string::npos ? key : row_of(group_keys(), rest.substr(name + 1));
  }
  return key->type == KeyType::env || key->type == KeyType::labels ? key : nullptr;
}

void add_leaves(const Key& key, const std::string& path, std::vector<std::string>& paths) {
  if (key.type != KeyType::map) return paths.push_back(path);
  for (const Key& child : key.children) add_leaves(child, path + "." + std::string(child.name), paths);
}

std::string layer_place(const SourceRange& where) {
  return where.file + (where.line == 0 ? "" : ":" + std::to_string(where.line));
}

LayerValue from_file(const std::string& layer, const ConfigLayer& source, const std::string& key) {
  const auto written = written_value(source.text, source.file, key);
  if (!written) return {layer, source.file, "", false};
  return {layer, layer_place(written->where), written->text, true};
}

bool is_configurable(const std::string& key) {
  const Key* top = find_key(job_keys(), key.substr(0, key.find('.')));
  return top != nullptr && top->in_config;
}

void add_configuration(ExplainedKey& found, const JobDraft& draft, const std::vector<ConfigFile>& files) {
  for (auto file = files.rbegin(); file != files.rend() && is_configurable(found.key); ++file) {
    const auto read = std::find_if(draft.layers.begin(), draft.layers.end(),
                                   [&](const ConfigLayer& layer) { return layer.file == file->path; });
    if (read == draft.layers.end()) {
      found.layers.push_back({file->layer, file->path + " (not there)", "", false});
    } else {
      found.layers.push_back(from_file(file->layer, *read, found.key));
    }
  }
}

std::string runtime_name(const std::string& file) {
  const size_t slash = file.rfind('/');
  return file.substr(slash + 1, file.rfind('.') - slash - 1);
}

// The value that an override gives to `key`. `--set restarts={limit: 3}` also sets restarts.limit.
std::optional<std::string> value_from(const Override& override, const std::string& key) {
  const std::string& typed = override.key;
  const bool same = typed == key || (typed.starts_with("groups.") && typed.ends_with("." + key));
  if (same) return override.words.empty() ? override.value : shell_line(override.words);
  if (!key.starts_with(typed + ".")) return std::nullopt;
  const auto inner = written_value(override.value, override.origin, key.substr(typed.size() + 1));
  return inner ? std::optional(inner->text) : std::nullopt;
}

void add_overrides(ExplainedKey& found, const JobDraft& draft) {
  bool by_variable = false;
  bool by_flag = false;
  for (const Override& override : draft.overrides) {
    const auto value = value_from(override, found.key);
    if (!value) continue;
    const bool variable = override.origin.starts_with("MUSTER_");
    (variable ? by_variable : by_flag) = true;
    found.layers.push_back({variable ? "environment" : "flag", override.origin, *value, true});
  }
  const JobFlags flags;
  const auto mirror = std::find_if(flags.mirrors.begin(), flags.mirrors.end(),
                                   [&](const JobFlags::Mirror& each) { return each.key == found.key; });
  const bool mirrored = mirror != flags.mirrors.end();
  if (!by_variable && !by_flag && mirrored) found.layers.push_back({"environment", mirror->variable, "", false});
  const std::string flag = mirrored ? split(mirror->names, ',').back() : "--set " + found.key + "=…";
  if (!by_flag) found.layers.push_back({"flag", flag, "", false});
}

std::string built_in(const std::string& key) {
  JobSpec spec;
  spec.groups.emplace_back();
  const auto values = effective_values(spec);
  const auto found = values.find(key);
  const bool empty = found == values.end() || found->second == "[]" || found->second == "{}";
  return empty ? "" : found->second;
}

}  // namespace

Result<std::vector<std::string>> keys_below(const std::string& word) {
  std::vector<std::string> paths;
  if (const Key* key = row_of(job_keys(), word)) {
    add_leaves(*key, word, paths);
    return paths;
  }
  std::vector<std::string> known;
  for (const Key& key : job_keys()) add_leaves(key, std::string(key.name), known);
  auto meant = familiar_path(word);
  if (!meant) meant = nearest(word, known);
  return Status(Code::not_found,
                "there is no key `" + escaped(word) + "`" +
                    (meant ? "; did you mean `" + *meant + "`?" : "; to list all keys: muster config list -o wide"));
}

ExplainedKey explain_key(const std::string& key, const JobDraft& draft, const std::vector<ConfigFile>& files) {
  const Key* row = row_of(job_keys(), key);
  ExplainedKey found{.key = key, .doc = row == nullptr ? "" : std::string(row->doc)};
  found.joined =
      row != nullptr && find_key(job_keys(), key) == row && (row->type == KeyType::env || row->type == KeyType::labels);
  const std::string usual = built_in(key);
  found.layers.push_back({"built-in", "", usual, !usual.empty()});
  add_configuration(found, draft, files);
  for (auto each = draft.runtimes.rbegin(); each != draft.runtimes.rend(); ++each)
    found.layers.push_back(from_file("runtime " + runtime_name(each->file), *each, key));
  if (!draft.sources.empty() && draft.sources.front().file == draft.origin)
    found.layers.push_back(from_file("job file", {draft.origin, draft.sources.front().text}, key));
  add_overrides(found, draft);
  const auto winner =
      std::find_if(found.layers.rbegin(), found.layers.rend(), [](const LayerValue& layer) { return layer.says; });
  if (winner == found.layers.rend()) return found;
  std::vector<std::string> counting;
  for (auto layer = found.layers.rbegin(); layer != found.layers.rend(); ++layer) {
    layer->wins = layer->says && (found.joined || layer == winner);
    if (layer->wins) counting.push_back(layer->value);
  }
  found.value = join(counting, " over ");
  return found;
}

}  // namespace muster
