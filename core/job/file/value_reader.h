// Reading a tree of YamlNodes into a JobSpec along the table of keys (job_keys.h). Private to core/model.
//
// read_map walks a map; for each key it knows it makes a ValueReader, which the key's row tells what to read
// where. What is wrong goes to the sink and leaves the spec as it was.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/job/document/diagnostic_sink.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/job_keys.h"
#include "core/job/job_spec.h"

namespace muster {

class HostListBuilder;

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

// One value of a key that is no map of keys. Each method reads one type into its argument.
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
  void count(uint32_t& value);
  void integer(int32_t& value);
  void rank(std::optional<Rank>& value);
  void optional_duration(std::optional<Duration>& value);
  void version(uint32_t& value);
  void auto_count(AutoCount& value);
  void node_range(GroupSpec& value);
  void size(uint64_t& value);
  void duration(Duration& value);
  void duration_range(Duration& low, Duration& high);
  void command(std::vector<std::string>& value);
  void commands(std::vector<std::vector<std::string>>& value);
  void env(std::map<std::string, EnvValue>& value);
  void labels(std::map<std::string, std::string>& value);
  void secret_source(SecretSource& value);
  void failure_rules(std::vector<FailureRule>& value);
  void warm(WarmSpec& value);
  void paths(std::vector<std::string>& value);
  void groups();
  // Only looked at: it was read with its place, which tells two of one name apart.
  void host_name();
  void host_label(std::string& value);
  void hosts(std::vector<HostSpec>& value);
  void words(std::vector<std::string>& value);
  void volumes(std::vector<VolumeSpec>& value);
  // Kubernetes' own words, which are not looked into: kept as JSON. Of type `object` a map, of `objects` a list of maps.
  void object(std::string& json);

  // The choices of the key are in the order of the enum.
  template <typename Enum>
  void choice(Enum& value) {
    if (const auto index = choice_index()) value = static_cast<Enum>(*index);
  }

 private:
  // The node's characters, or nothing after reporting that it is none, or a list or map.
  const std::string* scalar();
  std::optional<size_t> choice_index();
  std::optional<uint32_t> number(std::string_view text, std::string_view shown);
  std::optional<Duration> one_duration(std::string_view text);
  std::optional<EnvValue> variable(const YamlEntry& entry);
  std::optional<FailureRule> failure_rule(const YamlNode& item);
  bool report_one_text(const YamlNode& item);
  std::optional<std::string> word(const YamlNode& item, const std::string& what);
  void one_host(const YamlNode& item, HostListBuilder& list, std::vector<HostSpec>& hosts);
  void one_group(const YamlNode& item, size_t index, bool alone);

  Diagnostic problem(const char* code, const YamlNode& at, std::string message) const;
  void report(Diagnostic diagnostic) { target_.sink.add(std::move(diagnostic)); }
  // "`limit` wants a whole number …, not a list" at `at`.
  void report_kind(const YamlNode& at, const std::string& what, const std::string& wants);
  void report_unit(const char* code, const std::optional<std::string>& meant);

  ReadTarget& target_;
  const Key& key_;
  const YamlNode& node_;
  const std::string& path_;
};

}  // namespace muster
