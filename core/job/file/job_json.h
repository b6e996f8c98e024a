// SPDX-License-Identifier: Apache-2.0
// Helpers of spec_to_json. Private to core/job.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/base/text.h"
#include "core/job/job_spec.h"
#include "core/job/json_text.h"

namespace muster {

// Builds the text {"key":value,…}.
class JsonObject {
 public:
  JsonObject& raw(std::string_view key, const std::string& json) {
    text_ += (text_.size() > 1 ? "," : "") + json_quoted(key) + ":" + json;
    return *this;
  }
  JsonObject& text(std::string_view key, std::string_view value) { return raw(key, json_quoted(value)); }
  JsonObject& number(std::string_view key, uint64_t value) { return raw(key, std::to_string(value)); }
  JsonObject& time(std::string_view key, Duration value) { return text(key, format_duration(value)); }
  JsonObject& size(std::string_view key, uint64_t value) { return text(key, format_size(value)); }
  JsonObject& count(std::string_view key, const AutoCount& value) {
    return value.automatic ? text(key, "auto") : number(key, value.count);
  }
  std::string done() const { return text_ + "}"; }

 private:
  std::string text_ = "{";
};

std::string json_map(const std::map<std::string, std::string>& texts);

// The map `kubernetes` of a job and of a group: only values that differ from the defaults.
std::string kubernetes_json(const KubernetesSpec& spec);
std::string group_pods_json(const GroupPods& pods);

}  // namespace muster
