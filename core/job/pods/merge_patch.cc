// SPDX-License-Identifier: Apache-2.0
#include "core/job/pods/merge_patch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace muster {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kVerb = "$patch";

void merge(Json& object, const Json& patch);

bool all_have(const Json& list, const char* key) {
  const auto has = [&](const Json& item) { return item.is_object() && item.contains(key) && item[key].is_string(); };
  return list.is_array() && !list.empty() && std::all_of(list.begin(), list.end(), has);
}

// The key by which the entries of two lists are merged, as in Kubernetes: a volume can have several mounts. Null: none.
const char* merge_key(const std::string& name, const Json& list, const Json& other) {
  const auto both_have = [&](const char* key) { return all_have(list, key) && all_have(other, key); };
  if (name == "volumeMounts" && both_have("mountPath")) return "mountPath";
  return both_have("name") ? "name" : nullptr;
}

void merge_item(Json& list, const Json& item, const char* key) {
  const auto same = std::find_if(list.begin(), list.end(), [&](const Json& each) { return each[key] == item[key]; });
  const bool removes = item.contains(kVerb) && item[kVerb] == "delete";
  if (removes && same != list.end()) list.erase(same);
  if (removes) return;
  if (same == list.end()) return list.push_back(item);
  merge(*same, item);
}

void merge_value(Json& object, const std::string& key, const Json& value) {
  Json& own = object[key];
  if (value.is_object()) {
    if (!own.is_object()) own = Json::object();
    return merge(own, value);
  }
  const char* by = merge_key(key, own, value);
  if (by == nullptr) return void(own = value);
  for (const Json& item : value) merge_item(own, item, by);
}

void merge(Json& object, const Json& patch) {
  for (const auto& [key, value] : patch.items()) {
    if (value.is_null()) {
      object.erase(key);
    } else {
      merge_value(object, key, value);
    }
  }
}

}  // namespace

std::string merge_patch(const std::string& object, const std::string& patch) {
  Json merged = Json::parse(object);
  merge(merged, Json::parse(patch));
  return merged.dump();
}

}  // namespace muster
