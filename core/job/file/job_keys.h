// SPDX-License-Identifier: Apache-2.0
// The table of keys of the job file, format version 1: their names, types, meanings and readers. The reader, overrides,
// "did you mean", flags, help and schema use this table. Constant; pure.
//
// To add a key: a field in job_spec.h, a row in job_keys.cc, its line in job_json.cc, a case in job_yaml_test.cc.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

class ValueReader;

enum class KeyType {
  text,
  choice,          // one of `choices`
  count,           // a whole number in low … high
  integer,         // a whole number in -high … high
  auto_count,      // the same, or `auto`
  node_range,      // N or MIN..MAX
  size,            // 4GiB
  duration,        // 30s, 1h30m
  duration_range,  // 1s..60s
  command,         // a list of words
  commands,        // a list of such lists
  truth,           // true or false
  paths,           // a list of relative paths
  env,             // a map of variables: text, or a map of `children`
  labels,          // a map of text
  warm,            // auto, off, or a list of module names
  failure_rules,   // a list of: exit N, a signal's name, oom
  groups,          // a list of maps of group_keys()
  hosts,           // a list of hosts (host_list.h) or maps of `children`
  words,           // a list of texts
  volumes,         // a list of maps of `children`
  object,          // a map of anything
  objects,         // a list of such maps
  map,             // a map of `children`
};

struct Key {
  std::string_view name;
  KeyType type = KeyType::text;
  std::string_view doc;                  // one sentence for help, man page and schema
  std::string_view example;              // a value as in a job file
  void (*read)(ValueReader&) = nullptr;  // null for a map without a short form
  std::span<const std::string_view> choices = {};
  std::span<const Key> children = {};
  uint64_t low = 0;
  uint64_t high = UINT32_MAX;
  bool in_config = false;  // allowed in muster.yaml
};

// Set the optional fields of a row.
constexpr Key between(uint64_t low, uint64_t high, Key key) {
  key.low = low;
  key.high = high;
  return key;
}
constexpr Key one_of(std::span<const std::string_view> choices, Key key) {
  key.choices = choices;
  return key;
}
constexpr Key holding(std::span<const Key> children, Key key) {
  key.children = children;
  return key;
}
constexpr Key in_config(Key key) {
  key.in_config = true;
  return key;
}

// The keys of `kubernetes` in a job and in a group (kubernetes_keys.cc).
constexpr size_t kKubernetesKeyCount = 29;
constexpr size_t kGroupPodKeyCount = 4;
extern const std::array<Key, kKubernetesKeyCount> kKubernetesKeys;
extern const std::array<Key, kGroupPodKeyCount> kGroupPodKeys;

// The keys of `in_image` and of a host (node_keys.cc).
extern const std::array<Key, 4> kInImageKeys;
extern const std::array<Key, 7> kHostKeys;

// The keys at the top of a job file, of one entry of `groups`, and of muster.yaml.
std::span<const Key> job_keys();
std::span<const Key> group_keys();
std::vector<Key> config_keys();

// Whether the map can be written as a plain value: `workdir: .` for `workdir: {path: .}`.
inline bool has_short_form(const Key& key) { return key.type == KeyType::map && key.read != nullptr; }

// Whether `name` is a key of the short form: a key of the group at the top of a job with one group.
bool is_short_form(std::string_view name);

// The key with this name in `keys`, or null.
const Key* find_key(std::span<const Key> keys, std::string_view name);

// The dotted path of the key with this name ("gpus" → "worker.gpus"), or with this name in other tools
// ("nnodes" → "nodes"); nullopt if there is none.
std::optional<std::string> familiar_path(std::string_view name);

// The values that the key takes, for messages: "a size such as 4GiB".
std::string wanted(const Key& key);

}  // namespace muster
