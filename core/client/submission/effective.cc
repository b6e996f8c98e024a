// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/effective.h"

#include <nlohmann/json.hpp>

#include "core/job/file/job_yaml.h"

namespace muster {
namespace {

using Json = nlohmann::ordered_json;
using Values = std::map<std::string, std::string>;

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void flatten(const Json& value, const std::string& path, Values& values) {
  if (!value.is_object()) {
    values[path] = text_of(value);
    return;
  }
  for (const auto& [key, each] : value.items()) flatten(each, path.empty() ? key : path + "." + key, values);
}

void flatten_groups(const Json& groups, Values& values) {
  for (const Json& group : groups) {
    const std::string prefix = groups.size() == 1 ? "" : "groups." + group.value("name", "") + ".";
    for (const auto& [key, each] : group.items()) {
      const bool own = prefix.empty() && (key == "name" || key == "env" || key == "success");
      flatten(each, (own ? "groups." + group.value("name", "") + "." : prefix) + key, values);
    }
  }
}

}  // namespace

Values effective_values(const std::string& spec_json) {
  Json spec = Json::parse(spec_json, nullptr, false);
  if (!spec.is_object()) return {};
  Values values;
  if (const auto groups = spec.find("groups"); groups != spec.end()) {
    if (groups->is_array()) flatten_groups(*groups, values);
    spec.erase("groups");
  }
  flatten(spec, "", values);
  return values;
}

Values effective_values(const JobSpec& spec) { return effective_values(spec_to_json(spec)); }

}  // namespace muster
