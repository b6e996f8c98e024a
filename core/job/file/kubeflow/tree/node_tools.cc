// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/tree/node_tools.h"

#include <algorithm>

namespace muster {
namespace {

using Kind = YamlNode::Kind;

YamlNode node_of(Kind kind, std::string text, bool quoted, const SourceRange& where) {
  YamlNode node;
  node.kind = kind;
  node.text = std::move(text);
  node.quoted = quoted;
  node.where = where;
  return node;
}

bool all_have(const YamlNode& list, std::string_view key) {
  return !list.items.empty() && std::all_of(list.items.begin(), list.items.end(),
                                            [&](const YamlNode& each) { return child(&each, key) != nullptr; });
}

// The entry of a list of maps whose `key` is this; null: none.
YamlNode* entry_with(YamlNode& list, std::string_view key, const std::string& text) {
  const auto found = std::find_if(list.items.begin(), list.items.end(),
                                  [&](const YamlNode& each) { return text_of(child(&each, key)) == text; });
  return found == list.items.end() ? nullptr : &*found;
}

YamlNode& made_at(YamlNode& map, std::string_view key, Kind kind, const SourceRange& where) {
  if (YamlNode* there = child(&map, key)) return *there;
  return put(map, key, node_of(kind, "", false, where));
}

// `name`: the key of both values.
void lay(YamlNode& lower, const YamlNode& upper, std::string_view name) {
  const std::string_view key = name == "volumeMounts" ? "mountPath" : "name";
  if (lower.kind == Kind::map && upper.kind == Kind::map) {
    for (const YamlEntry& entry : upper.entries) {
      if (YamlNode* there = child(&lower, entry.key)) {
        lay(*there, entry.value, entry.key);
      } else {
        lower.entries.push_back(entry);
      }
    }
  } else if (lower.kind == Kind::sequence && upper.kind == Kind::sequence && all_have(lower, key) &&
             all_have(upper, key)) {
    for (const YamlNode& item : upper.items) {
      YamlNode* there = entry_with(lower, key, text_of(child(&item, key)));
      if (there == nullptr) {
        lower.items.push_back(item);
      } else if (name == "env" || name == "volumes") {
        *there = item;
      } else {
        lay(*there, item, "");
      }
    }
  } else {
    lower = upper;
  }
}

}  // namespace

YamlNode* child(YamlNode* map, std::string_view key) {
  if (map == nullptr || map->kind != Kind::map) return nullptr;
  const auto found =
      std::find_if(map->entries.begin(), map->entries.end(), [&](const YamlEntry& entry) { return entry.key == key; });
  return found == map->entries.end() ? nullptr : &found->value;
}

const YamlNode* child(const YamlNode* map, std::string_view key) { return child(const_cast<YamlNode*>(map), key); }

const YamlNode* find(const YamlNode* map, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) map = child(map, key);
  return map;
}

std::string text_of(const YamlNode* node) {
  return node != nullptr && node->kind == Kind::scalar ? node->text : std::string();
}

bool is_true(const YamlNode* node) { return text_of(node) == "true"; }

bool is_empty(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null: return true;
    case Kind::scalar:
      return node.text.empty() || (!node.quoted && (node.text == "false" || node.text == "False" ||
                                                    node.text == "FALSE" || node.text == "0"));
    case Kind::sequence: return node.items.empty();
    case Kind::map: return node.entries.empty();
  }
  return false;
}

YamlNode* named(YamlNode* list, std::string_view name) {
  if (list == nullptr || list->kind != Kind::sequence) return nullptr;
  return entry_with(*list, "name", std::string(name));
}

const YamlNode* named(const YamlNode* list, std::string_view name) { return named(const_cast<YamlNode*>(list), name); }

YamlNode text_node(std::string text, const SourceRange& where) {
  return node_of(Kind::scalar, std::move(text), true, where);
}
YamlNode plain_node(std::string text, const SourceRange& where) {
  return node_of(Kind::scalar, std::move(text), false, where);
}
YamlNode map_node(const SourceRange& where) { return node_of(Kind::map, "", false, where); }
YamlNode list_node(const SourceRange& where) { return node_of(Kind::sequence, "", false, where); }

YamlNode& put(YamlNode& map, std::string_view key, YamlNode value) {
  if (YamlNode* there = child(&map, key)) return *there = std::move(value);
  const SourceRange where = value.where;
  return map.entries.emplace_back(YamlEntry{std::string(key), where, std::move(value)}).value;
}

YamlNode& map_at(YamlNode& map, std::string_view key, const SourceRange& where) {
  return made_at(map, key, Kind::map, where);
}
YamlNode& list_at(YamlNode& map, std::string_view key, const SourceRange& where) {
  return made_at(map, key, Kind::sequence, where);
}

void lay_over(YamlNode& lower, const YamlNode& upper) { lay(lower, upper, ""); }

std::string flat_text(const YamlNode& node) {
  std::string text = node.text + "\n";
  for (const YamlNode& item : node.items) text += "-" + flat_text(item);
  for (const YamlEntry& entry : node.entries) text += entry.key + ":" + flat_text(entry.value);
  return text;
}

void quote_texts(YamlNode& node) {
  if (node.kind == Kind::scalar) node.quoted = true;
  for (YamlNode& item : node.items) quote_texts(item);
  for (YamlEntry& entry : node.entries) quote_texts(entry.value);
}

}  // namespace muster
