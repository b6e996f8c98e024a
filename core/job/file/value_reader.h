// SPDX-License-Identifier: Apache-2.0
// Reads a tree of YamlNodes into a JobSpec with the table of keys (job_keys.h). Private to core/job/file.
//
// read_map walks a map. For each known key it makes a ValueReader and calls the function in the key's row. An invalid
// value is reported to the sink and does not change the spec.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/job_keys.h"
#include "core/job/job_spec.h"

namespace muster {

// Where the readers store values, problems and places.
struct ReadTarget {
  JobSpec& job;
  DiagnosticSink& sink;
  Places& places;
  GroupSpec* group = nullptr;      // for the keys of a group
  SecretSource* secret = nullptr;  // for the keys of a variable that is a reference
  HostSpec* host = nullptr;        // for the keys of a host
  bool from_command_line = false;  // texts are not YAML, so they are never ambiguous
  VolumeSpec* volume = nullptr;    // for the keys of a volume
};

// `map` must be a map. `path` is the prefix of the paths of its keys ("restarts."), `title` its name in messages.
void read_map(ReadTarget& target, std::span<const Key> keys, const YamlNode& map, const std::string& path,
              const std::string& title);

// Reads the value of a key, which can be a map. `path` is the path of the value.
void read_value(ReadTarget& target, const Key& key, const YamlNode& value, const std::string& path);

// Reports each key that repeats an earlier key of the map.
void report_duplicates(ReadTarget& target, const YamlNode& map);

// ValueReader: one value that is not a map of keys, with its key, its place and its target. It reads texts, booleans
// and choices itself; number_reader.h, list_reader.h, env_reader.h, hosts_reader.h and kubernetes_reader.h read the
// other types.
class ValueReader {
 public:
  ValueReader(ReadTarget& target, const Key& key, const YamlNode& node, const std::string& path)
      : target_(target),
        key_(key),
        node_(node),
        path_(path) {}

  JobSpec& job() { return target_.job; }
  GroupSpec& group() { return *target_.group; }
  SecretSource& secret() { return *target_.secret; }
  HostSpec& host() { return *target_.host; }
  KubernetesSpec& kubernetes() { return target_.job.kubernetes; }
  VolumeSpec& volume() { return *target_.volume; }

  void text(std::string& value);
  void truth(bool& value);
  // Only checks the name: the runtime was read before the job (job_yaml.h).
  void runtime();
  // The choices of the key are in the order of the enum.
  template <typename Enum>
  void choice(Enum& value) {
    if (const auto index = choice_index()) value = static_cast<Enum>(*index);
  }

  // The text of the node. Null, after reporting it, if the node is null, a list or a map.
  const std::string* scalar();
  // A text in a list or a map, as it is written; `what` is its name in messages. Numbers are accepted as texts.
  // nullopt, after reporting it, if `item` is not a text or if YAML readers disagree on it.
  std::optional<std::string> word(const YamlNode& item, const std::string& what);

  Diagnostic problem(const char* code, const YamlNode& at, std::string message) const;
  void report(Diagnostic diagnostic) { target_.sink.add(std::move(diagnostic)); }
  // Reports "`limit` must be a whole number …, not a list" at `at`.
  void report_kind(const YamlNode& at, const std::string& what, const std::string& wants);
  // The same for the value of this reader.
  void report_kind() { report_kind(node_, name(), wanted(key_)); }

  ReadTarget& target() { return target_; }
  const Key& key() const { return key_; }
  std::string name() const { return std::string(key_.name); }  // the key's
  const YamlNode& node() const { return node_; }
  const std::string& path() const { return path_; }

 private:
  std::optional<size_t> choice_index();

  ReadTarget& target_;
  const Key& key_;
  const YamlNode& node_;
  const std::string& path_;
};

}  // namespace muster
