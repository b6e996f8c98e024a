// SPDX-License-Identifier: Apache-2.0
// The variables of a container: `env` and `envFrom`. Private to core/job/file/kubeflow.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/reading.h"

namespace muster {

// Words of the templates of `custom` that stand for the fields of a pod until it is known how its group is laid out.
constexpr std::string_view kCompletionIndex = "${completion_index}";
constexpr std::string_view kJobIndex = "${job_index}";
constexpr std::string_view kGlobalJobIndex = "${job_global_index}";
constexpr std::string_view kPodName = "${pod_name}";

// The template with each `word` replaced.
std::string replace_word(std::string_view text, std::string_view word, std::string_view by);

class Variables {
 public:
  // Reads ConfigMaps and Secrets from the documents beside the job. In a cluster, missing ones and Secrets are passed
  // on. On hosts, missing ones are reported. `added`: variables that a controller adds to the container, by name.
  Variables(Reading& reading, const YamlNode& container, const std::map<std::string, std::string>& added);

  // The map `env` of a group, with the values of Secrets.
  YamlNode tree(const SourceRange& where) const;
  // The variables of tree() whose values are from Secrets.
  const std::set<std::string>& secrets() const { return secrets_; }
  // Whether the text refers to a variable with the value of a Secret.
  bool has_secret(const std::string& text) const;
  // Variables with a value for each rank: the words of `framework: custom`.
  const std::map<std::string, std::string>& templates() const { return templates_; }
  // Entries of `env` and `envFrom` that the cluster has to fill in.
  struct Passed {
    std::vector<YamlNode> env;
    std::vector<YamlNode> env_from;
  };
  const Passed& passed() const { return passed_; }

  // A word of a command as Kubernetes expands it: $(NAME) is the value of the variable, an unknown name stays, $$ is one
  // dollar sign. Variables whose values are not in the manifest become references (references.h).
  std::string expand_word(const YamlNode& word) const;

 private:
  // A part of an expanded text: literal, or the name of a variable without a value in the manifest.
  struct Part {
    std::string text;
    bool name = false;
  };

  void read_from(const YamlNode& source);
  void read_one(const YamlNode& entry);
  void read_value(const YamlNode& entry, const std::string& name, const YamlNode& value);
  void read_reference(const YamlNode& entry, const std::string& name, const YamlNode& from);
  void read_field(const YamlNode& entry, const std::string& name, const YamlNode& field);
  void set(const std::string& name, std::string text, const SourceRange& where);
  void set_secret(const std::string& name, std::string text, const SourceRange& where);
  void set_template(const std::string& name, std::string text, const SourceRange& where);
  void pass(const std::string& name, const YamlNode& entry);
  // Forgets an earlier value, and counts the bytes of the new one. False after reporting that it cannot be used.
  bool take(const std::string& name, const std::string& text, const SourceRange& where);
  void forget(const std::string& name);
  // Values of Secrets must not be in a JobSet, which more users can read, so the pods in a cluster read them themselves.
  bool reads_in_pod(std::string_view kind) const;
  void report_long(const SourceRange& where) const;
  bool is_passed(const std::string& name) const;
  std::vector<Part> parts_of(const YamlNode& text, bool in_command) const;
  Part part_of(const std::string& name, bool in_command) const;

  Reading& reading_;
  const std::map<std::string, std::string>& added_;
  std::map<std::string, YamlNode> values_;
  std::set<std::string> secrets_;  // those of `values_` that are from Secrets
  std::map<std::string, std::string> templates_;
  Passed passed_;
  std::set<std::string> passed_names_;  // of its `env`
};

// The text as a template of `custom`.
std::string as_template(std::string_view literal);

// Linux starts no program with a longer variable or argument.
constexpr size_t kLongestText = 128 * 1024 - 1;

// Says that values of a Secret become part of the job's record. `what`: which, with the verb. `instead`: what to do if they
// must not.
void note_secret(Reading& reading, const SourceRange& where, const std::string& what, const std::string& instead);

// The value of a key in a ConfigMap or Secret; nullopt: it is not there.
std::optional<std::string> value_in(const YamlNode& object, const std::string& key);

}  // namespace muster
