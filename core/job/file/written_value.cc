// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/written_value.h"

#include <algorithm>

#include "core/job/file/job_keys.h"
#include "core/job/json_text.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

const YamlNode* value_of(const YamlNode& map, std::string_view key) {
  const auto found =
      std::find_if(map.entries.begin(), map.entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map.entries.end() ? nullptr : &found->value;
}

// Names of variables can contain dots, so the whole rest of the path is tried first.
const YamlNode* below(const YamlNode& map, const std::string& path) {
  if (const YamlNode* whole = value_of(map, path)) return whole;
  const size_t dot = path.find('.');
  if (dot == std::string::npos) return nullptr;
  const YamlNode* inner = value_of(map, path.substr(0, dot));
  return inner == nullptr ? nullptr : below(*inner, path.substr(dot + 1));
}

std::string name_of(const YamlNode& group) {
  const YamlNode* name = value_of(group, "name");
  return name == nullptr ? "worker" : name->text;
}

const YamlNode* in_group(const YamlNode& groups, const std::string& path) {
  const size_t dot = path.find('.');
  for (const YamlNode& group : groups.items) {
    if (name_of(group) == path.substr(0, dot)) return dot == path.npos ? &group : below(group, path.substr(dot + 1));
  }
  return nullptr;
}

const YamlNode* node_at(const YamlNode& root, const std::string& path) {
  const YamlNode* groups = value_of(root, "groups");
  constexpr std::string_view prefix = "groups.";
  if (path.starts_with(prefix)) {
    const std::string rest = path.substr(prefix.size());
    if (groups != nullptr) return in_group(*groups, rest);
    return rest.starts_with("worker.") ? below(root, rest.substr(rest.find('.') + 1)) : nullptr;
  }
  const bool of_group = is_short_form(path.substr(0, path.find('.')));
  if (of_group && groups != nullptr && groups->items.size() == 1) return below(groups->items.front(), path);
  return below(root, path);
}

}  // namespace

std::string flow_text(const YamlNode& node) {
  if (node.kind == Kind::null) return "";
  if (node.kind == Kind::scalar) return node.quoted ? json_quoted(node.text) : node.text;
  std::string text;
  for (const YamlNode& item : node.items) text += (text.empty() ? "" : ", ") + flow_text(item);
  for (const YamlEntry& entry : node.entries)
    text += (text.empty() ? "" : ", ") + entry.key + ": " + flow_text(entry.value);
  return node.kind == Kind::sequence ? "[" + text + "]" : "{" + text + "}";
}

std::optional<WrittenValue> written_value(std::string_view text, const std::string& file, const std::string& path) {
  const YamlDocument document = load_yaml(text, file);
  const YamlNode* found = document.problem ? nullptr : node_at(document.root, path);
  if (found == nullptr || found->kind == Kind::null) return std::nullopt;
  return WrittenValue{flow_text(*found), found->where, found->kind == Kind::map};
}

}  // namespace muster
