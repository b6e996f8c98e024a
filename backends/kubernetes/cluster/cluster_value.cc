// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/cluster_value.h"

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace muster {
namespace {

using Json = nlohmann::json;

const Json& json_of(const void* node) { return *static_cast<const Json*>(node); }

}  // namespace

ClusterValue ClusterValue::of(std::string_view json) {
  auto root = std::make_shared<const Json>(Json::parse(json, nullptr, false));
  if (root->is_discarded() || root->is_null()) return {};
  return {root, root.get()};
}

std::vector<ClusterValue> ClusterValue::all_of(const std::string& json) {
  std::vector<ClusterValue> all;
  std::istringstream stream(json);
  while (stream >> std::ws && stream.peek() != std::istringstream::traits_type::eof()) {
    Json each;
    try {
      stream >> each;
    } catch (const Json::exception&) {
      break;
    }
    auto root = std::make_shared<const Json>(std::move(each));
    all.push_back({root, root.get()});
  }
  return all;
}

ClusterValue ClusterValue::at(Path path) const {
  const void* here = node_;
  for (const char* name : path) {
    if (here == nullptr || !json_of(here).is_object()) return {};
    const auto found = json_of(here).find(name);
    here = found == json_of(here).end() || found->is_null() ? nullptr : &*found;
  }
  return here == nullptr ? ClusterValue() : ClusterValue(root_, here);
}

std::string ClusterValue::text(Path path) const {
  const ClusterValue found = at(path);
  if (!found.is_there() || json_of(found.node_).is_structured()) return "";
  const Json& value = json_of(found.node_);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

double ClusterValue::number(Path path) const {
  const ClusterValue found = at(path);
  return found.is_there() && json_of(found.node_).is_number() ? json_of(found.node_).get<double>() : 0;
}

std::vector<ClusterValue> ClusterValue::items(Path path) const {
  const ClusterValue found = at(path);
  std::vector<ClusterValue> all;
  if (!found.is_there() || !json_of(found.node_).is_array()) return all;
  for (const Json& each : json_of(found.node_)) all.push_back({root_, &each});
  return all;
}

std::map<std::string, ClusterValue> ClusterValue::fields(Path path) const {
  const ClusterValue found = at(path);
  std::map<std::string, ClusterValue> all;
  if (!found.is_there() || !json_of(found.node_).is_object()) return all;
  for (const auto& [name, value] : json_of(found.node_).items()) all.emplace(name, ClusterValue(root_, &value));
  return all;
}

std::map<std::string, std::string> ClusterValue::texts(Path path) const {
  std::map<std::string, std::string> all;
  for (const auto& [name, value] : fields(path)) all.emplace(name, value.text());
  return all;
}

}  // namespace muster
