// SPDX-License-Identifier: Apache-2.0
// Looks up and builds YamlNodes: manifests are read from them, and the tree of the job file is built of them. Pure.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "core/job/document/yaml_document.h"

namespace muster {

// The value of the key; null if `map` is null, is no map or does not have it.
const YamlNode* child(const YamlNode* map, std::string_view key);
YamlNode* child(YamlNode* map, std::string_view key);
// The value below several keys.
const YamlNode* find(const YamlNode* map, std::initializer_list<std::string_view> keys);

// The text of a plain value; empty if there is none.
std::string text_of(const YamlNode* node);
bool is_true(const YamlNode* node);
// No value: null, "", false, 0, or an empty list or map.
bool is_empty(const YamlNode& node);

// The entry of a list of maps whose `name` is this; null: none.
const YamlNode* named(const YamlNode* list, std::string_view name);
YamlNode* named(YamlNode* list, std::string_view name);

// Nodes for the tree of a job file. `where`: the place in the manifest.
YamlNode text_node(std::string text, const SourceRange& where);   // a text, as if it were quoted
YamlNode plain_node(std::string text, const SourceRange& where);  // a number, a duration, true
YamlNode map_node(const SourceRange& where);
YamlNode list_node(const SourceRange& where);

// Sets a key, and replaces its value if it is there.
YamlNode& put(YamlNode& map, std::string_view key, YamlNode value);
// The map (or list) at the key, which is created if it is not there.
YamlNode& map_at(YamlNode& map, std::string_view key, const SourceRange& where);
YamlNode& list_at(YamlNode& map, std::string_view key, const SourceRange& where);

// Lays `upper` over `lower` as Kubernetes merges patches: maps key by key, lists whose entries have names by name, mounts
// of volumes by their path. An entry of `env` and `volumes` replaces the one of its name, because it can have one source
// only.
void lay_over(YamlNode& lower, const YamlNode& upper);

// All keys and texts of the tree, for comparing trees.
std::string flat_text(const YamlNode& node);

// Rewrites plain texts as quoted ones in the whole tree, so that no reader takes them for something else.
void quote_texts(YamlNode& node);

}  // namespace muster
