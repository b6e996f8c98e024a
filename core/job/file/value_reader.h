// Reading a tree of YamlNodes into a JobSpec along the table of keys (job_keys.h). Private to core/job/file.
//
// read_map walks a map; for each key it knows it makes a ValueReader, and the key's row says what is read from it and
// where it goes. What is wrong is reported to the sink and leaves the spec as it was.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/job_keys.h"
#include "core/job/job_spec.h"

namespace muster {

// Where values go.
struct ReadTarget {
  JobSpec& job;
  DiagnosticSink& sink;
  Places& places;
  GroupSpec* group = nullptr;      // for the keys of a group
  SecretSource* secret = nullptr;  // for the keys of a variable that is a reference
  HostSpec* host = nullptr;        // for the keys of a host
  bool from_command_line = false;  // texts are not YAML: no traps in them
  VolumeSpec* volume = nullptr;    // for the keys of a volume
};

// `map` is a map. `path` is the prefix of its keys' places ("restarts."), `title` what messages call it.
void read_map(ReadTarget& target, std::span<const Key> keys, const YamlNode& map, const std::string& path,
              const std::string& title);

// One value of a key, which may itself be a map. `path` is the value's own.
void read_value(ReadTarget& target, const Key& key, const YamlNode& value, const std::string& path);

// Keys that stand twice in one map, each time but the first.
void report_duplicates(ReadTarget& target, const YamlNode& map);

// One value of a key that is no map of keys: the value, its place, and what every kind of value needs to be read. Texts,
// truth values and choices are read here; numbers, lists, environments, hosts and the kinds of Kubernetes by the functions
// of number_reader.h, list_reader.h, env_reader.h, hosts_reader.h and kubernetes_reader.h.
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
  // Only looked at: what it names was read before the job was (job_yaml.h).
  void runtime();
  // The choices of the key are in the order of the enum.
  template <typename Enum>
  void choice(Enum& value) {
    if (const auto index = choice_index()) value = static_cast<Enum>(*index);
  }

  // The node's characters. Null, after reporting it, if the node is none, a list or a map.
  const std::string* scalar();
  // A text of a list or a map, kept as it is written; `what` names it in messages. Numbers are taken too. Nothing after
  // reporting that it is none, or that readers of YAML disagree on it.
  std::optional<std::string> word(const YamlNode& item, const std::string& what);

  Diagnostic problem(const char* code, const YamlNode& at, std::string message) const;
  void report(Diagnostic diagnostic) { target_.sink.add(std::move(diagnostic)); }
  // "`limit` wants a whole number …, not a list" at `at`.
  void report_kind(const YamlNode& at, const std::string& what, const std::string& wants);
  // The same of the value itself, which is not what its key wants.
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
