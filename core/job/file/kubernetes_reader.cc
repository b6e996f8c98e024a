// The block `kubernetes`: lists of words, volumes, and what is passed on as it is written.
#include <nlohmann/json.hpp>

#include "core/job/document/yaml_traps.h"
#include "core/job/file/value_reader.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLongestShown = 200;

// Anything of YAML as JSON, told of what is ambiguous in it.
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
  // What JSON reads as a number or a truth value is one.
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

void ValueReader::optional_duration(std::optional<Duration>& value) {
  Duration found = value.value_or(Duration(-1));
  duration(found);
  if (found >= Duration(0)) value = found;
}

void ValueReader::words(std::vector<std::string>& value) {
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, std::string(key_.name), wanted(key_));
  std::vector<std::string> words;
  for (const YamlNode& item : node_.items) {
    if (auto text = word(item, std::string(key_.name))) words.push_back(std::move(*text));
  }
  value = std::move(words);
}

void ValueReader::volumes(std::vector<VolumeSpec>& value) {
  if (node_.kind == YamlNode::Kind::null) return;
  if (node_.kind != YamlNode::Kind::sequence) return report_kind(node_, "volumes", wanted(key_));
  std::vector<VolumeSpec> volumes;
  for (const YamlNode& item : node_.items) {
    const std::string path = path_ + "." + std::to_string(volumes.size());
    target_.places[path] = item.where;
    if (item.kind != YamlNode::Kind::map) {
      report_kind(item, "volumes", "maps such as {name: data, mount: /data, pvc: datasets}");
      continue;
    }
    ReadTarget inner = target_;
    inner.volume = &volumes.emplace_back();
    read_map(inner, key_.children, item, path + ".", "a volume");
  }
  value = std::move(volumes);
}

void ValueReader::object(std::string& json) {
  const bool many = key_.type == KeyType::objects;
  if (node_.kind == YamlNode::Kind::null) return;
  if (node_.kind != (many ? YamlNode::Kind::sequence : YamlNode::Kind::map))
    return report_kind(node_, std::string(key_.name), wanted(key_));
  for (const YamlNode& item : node_.items) {
    if (item.kind != YamlNode::Kind::map) return report_kind(item, std::string(key_.name), wanted(key_));
  }
  const Json tree = TreeReader(target_).read(node_);
  json = tree.empty() ? "" : tree.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace muster
