// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/tree/tree_text.h"

#include <nlohmann/json.hpp>

#include "core/job/file/kubeflow/tree/node_tools.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;
using Kind = YamlNode::Kind;

Json scalar_json(const YamlNode& node) {
  if (node.quoted) return node.text;
  if (node.text == "true" || node.text == "false") return node.text == "true";
  const bool number = node.text.find_first_not_of("0123456789.-+eE") == std::string::npos;
  const Json read = number ? Json::parse(node.text, nullptr, false) : Json(Json::value_t::discarded);
  return read.is_number() ? read : Json(node.text);
}

Json json_of(const YamlNode& node) {
  switch (node.kind) {
    case Kind::null: return nullptr;
    case Kind::scalar: return scalar_json(node);
    case Kind::sequence: {
      Json list = Json::array();
      for (const YamlNode& item : node.items) list.push_back(json_of(item));
      return list;
    }
    case Kind::map: break;
  }
  Json map = Json::object();
  for (const YamlEntry& entry : node.entries) map[entry.key] = json_of(entry.value);
  return map;
}

// Whether a patch or a rule of `restarts` names the group.
bool is_named(const YamlNode& tree) {
  if (find(&tree, {"kubernetes", "patch"}) != nullptr) return true;
  for (const char* list : {"never_on", "always_on"}) {
    const YamlNode* rules = find(&tree, {"restarts", list});
    for (size_t at = 0; rules != nullptr && at < rules->items.size(); ++at) {
      if (rules->items[at].text.starts_with("group ")) return true;
    }
  }
  return false;
}

// The key of the group over that of the job. `in_image: NAME` is short for its key `image`.
void lay_key_over(YamlNode& lower, const YamlEntry& upper) {
  if (upper.key == "in_image" && lower.kind == Kind::map && upper.value.kind == Kind::scalar)
    put(lower, "image", upper.value);
  else
    lay_over(lower, upper.value);
}

}  // namespace

std::string tree_json(const YamlNode& tree) {
  return json_of(tree).dump(-1, ' ', false, Json::error_handler_t::replace);
}

YamlNode short_form(YamlNode tree) {
  YamlNode* groups = child(&tree, "groups");
  if (groups == nullptr || groups->items.size() != 1 || is_named(tree)) return tree;
  YamlNode group = std::move(groups->items.front());
  if (child(&group, "success") != nullptr) {
    groups->items.front() = std::move(group);
    return tree;
  }
  std::erase_if(tree.entries, [](const YamlEntry& entry) { return entry.key == "groups"; });
  for (YamlEntry& entry : group.entries) {
    if (entry.key == "name") continue;
    if (entry.key == "nodes" && entry.value.text == "1") continue;
    if (YamlNode* there = child(&tree, entry.key))
      lay_key_over(*there, entry);
    else
      tree.entries.push_back(std::move(entry));
  }
  return tree;
}

}  // namespace muster
