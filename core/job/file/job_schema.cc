// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/job_schema.h"

#include <nlohmann/json.hpp>

#include "core/job/document/yaml_document.h"
#include "core/job/file/job_keys.h"
#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNumber = "(0|[1-9][0-9]*)";
constexpr const char* kDuration = "([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?([0-9]+us)?([0-9]+ns)?";
constexpr const char* kSize = "^(0|[0-9]+(B|[KMGT]iB|[kKMGT]B))$";
constexpr const char* kName = "^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$";
constexpr int kMostSignals = 64;
constexpr const char* kSizeHelp = " A number with its unit: KiB MiB GiB TiB (1024) or kB MB GB TB (1000).";
constexpr const char* kDurationHelp = " Such as 30s, 5m or 1h30m.";

// An unquoted number is a text too. Words that YAML may read as a boolean or null must be quoted.
Json text_schema() { return {{"type", {"string", "number"}}}; }

Json matching(const std::string& pattern) { return {{"type", "string"}, {"pattern", pattern}}; }

// A number may be quoted.
Json count_schema(const Key& key) {
  return {{"type", {"integer", "string"}},
          {"minimum", key.low},
          {"maximum", key.high},
          {"pattern", std::string("^") + kNumber + "$"}};
}

Json integer_schema(const Key& key) {
  Json schema = count_schema(key);
  schema["minimum"] = -static_cast<int64_t>(key.high);
  schema["pattern"] = std::string("^-?") + kNumber + "$";
  return schema;
}

// A zero is allowed without a unit.
Json or_zero(Json schema) { return {{"anyOf", {std::move(schema), {{"const", 0}}}}}; }

Json duration_schema() {
  return or_zero({{"type", "string"}, {"minLength", 1}, {"pattern", std::string("^(0|") + kDuration + ")$"}});
}

Json range_schema() {
  const std::string one = std::string("(0|") + kDuration + ")";
  return or_zero({{"type", "string"}, {"minLength", 1}, {"pattern", "^" + one + "(\\.\\." + one + ")?$"}});
}

Json object_of(std::span<const Key> keys, const Json& defaults);

Json variable_schema(const Key& key) {
  Json reference = object_of(key.children, Json());
  reference["type"] = "object";
  reference["required"] = Json::array({"from"});
  reference["properties"]["from"]["pattern"] = "^(env|file|cmd):.";
  return {{"type", {"object", "null"}},
          {"propertyNames", matching("^[^=]+$")},
          {"additionalProperties", {{"anyOf", {text_schema(), reference}}}}};
}

Json labels_schema() { return {{"type", {"object", "null"}}, {"additionalProperties", text_schema()}}; }

Json warm_schema() {
  const Json modules = {{"type", "array"}, {"items", matching("^[^\\s.]+(\\.[^\\s.]+)*$")}};
  return {{"anyOf", {{{"enum", {"auto", "off"}}}, modules}}};
}

std::string signals_pattern() {
  std::string names;
  for (int number = 1; number <= kMostSignals; ++number) {
    const std::string name = signal_name(number);
    if (name.starts_with("SIG")) names += name + "|";
  }
  return names + "signal [0-9]+";
}

Json rule_schema() {
  Json rule = matching("^(group [^ ]+( |$))?(exit ([1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])|" + signals_pattern() +
                       "|oom|lost|hang|exception .+|message .+)?$");
  rule["minLength"] = 1;
  return rule;
}

Json groups_schema(const Json& defaults) {
  Json group = object_of(group_keys(), defaults);
  group["type"] = "object";
  group["properties"]["name"].update(matching(kName));
  return {{"type", "array"}, {"minItems", 1}, {"items", group}};
}

Json hosts_schema(const Key& key) {
  Json one = object_of(key.children, Json());
  one["type"] = "object";
  one["required"] = Json::array({"name"});
  const Json list = {{"type", "array"}, {"minItems", 1}, {"items", {{"anyOf", {text_schema(), one}}}}};
  return {{"anyOf", {list, matching(".")}}};
}

Json volumes_schema(const Key& key) {
  Json one = object_of(key.children, Json());
  one["type"] = "object";
  one["required"] = Json::array({"name", "mount"});
  return {{"type", "array"}, {"items", one}};
}

Json type_schema(const Key& key, const Json& defaults) {
  switch (key.type) {
    case KeyType::text: return text_schema();
    case KeyType::choice: return {{"enum", std::vector<std::string>(key.choices.begin(), key.choices.end())}};
    case KeyType::count: return count_schema(key);
    case KeyType::integer: return integer_schema(key);
    case KeyType::auto_count: return {{"anyOf", {{{"const", "auto"}}, count_schema(key)}}};
    case KeyType::node_range: {
      Json schema = count_schema(key);
      schema["pattern"] = std::string("^") + kNumber + "(\\.\\." + kNumber + ")?$";
      return schema;
    }
    case KeyType::size: return or_zero(matching(kSize));
    case KeyType::duration: return duration_schema();
    case KeyType::duration_range: return range_schema();
    case KeyType::truth: return {{"enum", {true, false, "true", "false"}}};
    case KeyType::command: return {{"type", "array"}, {"minItems", 1}, {"items", text_schema()}};
    case KeyType::commands:
      return {{"type", "array"}, {"items", {{"type", "array"}, {"minItems", 1}, {"items", text_schema()}}}};
    case KeyType::paths: return {{"type", "array"}, {"items", {{"type", "string"}, {"pattern", "^[^/]"}}}};
    case KeyType::warm: return warm_schema();
    case KeyType::failure_rules: return {{"type", "array"}, {"items", rule_schema()}};
    case KeyType::groups: return groups_schema(defaults);
    case KeyType::hosts: return hosts_schema(key);
    case KeyType::words: return {{"type", "array"}, {"items", text_schema()}};
    case KeyType::volumes: return volumes_schema(key);
    case KeyType::object: return {{"type", {"object", "null"}}};
    case KeyType::objects: return {{"type", "array"}, {"items", {{"type", "object"}}}};
    case KeyType::env: return variable_schema(key);
    case KeyType::labels: return labels_schema();
    case KeyType::map: {
      Json schema = object_of(key.children, defaults);
      if (has_short_form(key)) schema["type"].push_back("string");
      return schema;
    }
  }
  return Json::object();
}

Json json_of(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::sequence) {
    Json list = Json::array();
    for (const YamlNode& item : node.items) list.push_back(json_of(item));
    return list;
  }
  if (node.kind == YamlNode::Kind::map) {
    Json object = Json::object();
    for (const YamlEntry& entry : node.entries) object[entry.key] = json_of(entry.value);
    return object;
  }
  // If JSON reads the text as a number or a boolean, it is one. Any other scalar is a text.
  const Json value = Json::parse(node.text, nullptr, false);
  return node.quoted || !value.is_primitive() || value.is_discarded() ? Json(node.text) : value;
}

bool says_something(const Json& value) { return !value.is_null() && !value.is_structured() && value != Json(""); }

Json key_schema(const Key& key, const Json& defaults) {
  const Json own = defaults.is_object() && defaults.contains(key.name) ? defaults.at(std::string(key.name)) : Json();
  Json schema = {{"description", std::string(key.doc)}};
  if (key.type == KeyType::size) schema["description"] = std::string(key.doc) + kSizeHelp;
  if (key.type == KeyType::duration || key.type == KeyType::duration_range)
    schema["description"] = std::string(key.doc) + kDurationHelp;
  // muster finds the framework from the imports of the script, so the default of the spec is not shown.
  if (says_something(own) && key.name != "framework") schema["default"] = own;
  if (key.type == KeyType::node_range && own.is_string()) schema["default"] = json_of({.text = own.get<std::string>()});
  schema["examples"] = Json::array({json_of(load_yaml(key.example, "example").root)});
  schema.update(type_schema(key, key.type == KeyType::groups && own.is_array() ? own.front() : own));
  return schema;
}

Json object_of(std::span<const Key> keys, const Json& defaults) {
  Json properties = Json::object();
  for (const Key& key : keys) properties[std::string(key.name)] = key_schema(key, defaults);
  return {{"type", {"object", "null"}}, {"properties", properties}, {"additionalProperties", false}};
}

// The defaults of all keys. The defaults of a group's keys are also at the top, for the short form.
Json all_defaults() {
  JobSpec spec;
  spec.groups.emplace_back();
  Json defaults = Json::parse(spec_to_json(spec));
  const Json group = defaults["groups"][0];
  for (const auto& [key, value] : group.items()) {
    if (is_short_form(key)) defaults[key] = value;
  }
  return defaults;
}

// With `groups`, the keys of the short form are not allowed.
void forbid_both_forms(Json& schema) {
  Json without = Json::object();
  for (const Key& key : job_keys()) {
    if (is_short_form(key.name)) without[std::string(key.name)] = false;
  }
  schema["if"] = {{"required", Json::array({"groups"})}};
  schema["then"] = {{"properties", without}};
}

Json document(const char* title, std::span<const Key> keys) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  schema.update(object_of(keys, all_defaults()));
  return schema;
}

}  // namespace

std::string schema_json(SchemaKind kind) {
  if (kind == SchemaKind::config) return document("muster's configuration (muster.yaml)", config_keys()).dump();
  Json schema = document(kind == SchemaKind::job ? "muster's job file" : "a runtime of muster", job_keys());
  if (kind == SchemaKind::job) schema["type"] = "object";
  schema["properties"]["name"].update(matching(kName));
  forbid_both_forms(schema);
  if (kind == SchemaKind::runtime) {
    schema["properties"].erase("name");
    schema["properties"].erase("tty");
    schema["properties"]["description"] = {{"type", "string"},
                                           {"description", "One sentence that muster runtimes shows."}};
  }
  return schema.dump();
}

}  // namespace muster
