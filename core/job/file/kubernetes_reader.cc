// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubernetes_reader.h"

#include <nlohmann/json.hpp>

#include "core/job/document/yaml_traps.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestShown = 200;

// Converts any YAML to JSON and reports ambiguous values.
class TreeReader {
 public:
  explicit TreeReader(ReadTarget& target) : target_(target) {}

  Json read(const YamlNode& node) {
    switch (node.kind) {
      case YamlNode::Kind::null: return nullptr;
      case YamlNode::Kind::scalar: return scalar(node);
      case YamlNode::Kind::sequence: return list(node);
      case YamlNode::Kind::map: return map(node);
    }
    return nullptr;
  }

 private:
  // If JSON reads the text as a number or a boolean, it is one.
  Json scalar(const YamlNode& node) {
    if (node.quoted) return node.text;
    Json value = Json::parse(node.text, nullptr, false);
    if (value.is_number() || value.is_boolean()) return value;
    const auto trap = find_trap(node.text);
    if (trap) {
      Diagnostic ambiguous;
      ambiguous.code = trap->code;
      ambiguous.where = node.where;
      ambiguous.message = trap->reason;
      ambiguous.suggestions = {"\"" + node.text.substr(0, kLongestShown) + "\""};
      ambiguous.label = "quote it: " + ambiguous.suggestions[0];
      target_.sink.add(std::move(ambiguous));
    }
    return node.text;
  }
  Json list(const YamlNode& node) {
    Json items = Json::array();
    for (const YamlNode& each : node.items) items.push_back(read(each));
    return items;
  }
  Json map(const YamlNode& node) {
    report_duplicates(target_, node);
    Json object = Json::object();
    for (const YamlEntry& entry : node.entries) object[entry.key] = read(entry.value);
    return object;
  }

  ReadTarget& target_;
};

}  // namespace

void read_volumes(ValueReader& reader, std::vector<VolumeSpec>& value) {
  if (reader.node().kind == YamlNode::Kind::null) return;
  if (reader.node().kind != YamlNode::Kind::sequence)
    return reader.report_kind(reader.node(), "volumes", wanted(reader.key()));
  std::vector<VolumeSpec> volumes;
  for (const YamlNode& item : reader.node().items) {
    const std::string path = reader.path() + "." + std::to_string(volumes.size());
    reader.target().places[path] = item.where;
    if (item.kind != YamlNode::Kind::map) {
      reader.report_kind(item, "volumes", "maps such as {name: data, mount: /data, pvc: datasets}");
      continue;
    }
    ReadTarget inner = reader.target();
    inner.volume = &volumes.emplace_back();
    read_map(inner, reader.key().children, item, path + ".", "a volume");
  }
  value = std::move(volumes);
}

void read_object(ValueReader& reader, std::string& json) {
  const bool many = reader.key().type == KeyType::objects;
  if (reader.node().kind == YamlNode::Kind::null) return;
  if (reader.node().kind != (many ? YamlNode::Kind::sequence : YamlNode::Kind::map)) return reader.report_kind();
  for (const YamlNode& item : reader.node().items) {
    if (item.kind != YamlNode::Kind::map) return reader.report_kind(item, reader.name(), wanted(reader.key()));
  }
  const Json tree = TreeReader(reader.target()).read(reader.node());
  json = tree.empty() ? "" : tree.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster
