// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/pod_variables.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"
#include "core/job/file/kubeflow/tree/kubernetes_values.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/references.h"

namespace muster {
namespace {

// Fields of a pod, and the words of `custom` with the same meaning.
struct PodField {
  std::string_view path;
  std::string_view word;
};
constexpr std::array<PodField, 11> kPodFields = {{
    {"metadata.annotations['batch.kubernetes.io/job-completion-index']", kCompletionIndex},
    {"metadata.labels['batch.kubernetes.io/job-completion-index']", kCompletionIndex},
    {"metadata.labels['jobset.sigs.k8s.io/job-index']", kJobIndex},
    {"metadata.labels['jobset.sigs.k8s.io/job-global-index']", kGlobalJobIndex},
    {"metadata.annotations['jobset.sigs.k8s.io/job-global-index']", kGlobalJobIndex},
    {"metadata.annotations['jobset.sigs.k8s.io/job-index']", kJobIndex},
    {"metadata.labels['jobset.sigs.k8s.io/restart-attempt']", "${restarts}"},
    {"metadata.annotations['jobset.sigs.k8s.io/restart-attempt']", "${restarts}"},
    {"metadata.labels['jobset.sigs.k8s.io/jobset-name']", "${job}"},
    {"status.podIP", "${address}"},
    {"spec.nodeName", "${host}"},
}};

// The bytes that a variable needs beside its name and value.
constexpr size_t kVariableBytes = 512;

bool is_optional(const YamlNode& reference) { return is_true(child(&reference, "optional")); }

// The entry of `env` with the value of one key of a Secret. `source`: the `secretRef` that takes all its keys.
YamlNode variable_of_secret(const std::string& name, const YamlNode& source, const std::string& key) {
  YamlNode reference = source;
  put(reference, "key", text_node(key, source.where));
  YamlNode entry = map_node(source.where);
  put(entry, "name", text_node(name, source.where));
  put(map_at(entry, "valueFrom", source.where), "secretKeyRef", std::move(reference));
  return entry;
}

}  // namespace

void note_secret(Reading& reading, const SourceRange& where, const std::string& what, const std::string& instead) {
  reading.note(where, what + " a part of the job's record, which only you can read; to keep it out: " + instead);
}

std::string as_template(std::string_view literal) { return join(split(literal, '$'), "$$"); }

std::optional<std::string> value_in(const YamlNode& object, const std::string& key) {
  if (const YamlNode* plain = find(&object, {"stringData", key})) return plain->text;
  const YamlNode* data = find(&object, {"data", key});
  if (data == nullptr) return std::nullopt;
  return text_of(child(&object, "kind")) == "Secret" ? from_base64(data->text).value_or("") : data->text;
}

std::string replace_word(std::string_view text, std::string_view word, std::string_view by) {
  std::string replaced;
  while (!text.empty()) {
    const bool found = text.starts_with(word);
    const size_t plain = std::max<size_t>(1, std::min(text.find('$'), text.size()));
    const size_t length = found ? word.size() : text.starts_with("$$") ? 2 : plain;
    replaced += found ? by : text.substr(0, length);
    text.remove_prefix(length);
  }
  return replaced;
}

Variables::Variables(Reading& reading, const YamlNode& container, const std::map<std::string, std::string>& added)
    : reading_(reading),
      added_(added) {
  if (const YamlNode* sources = child(&container, "envFrom")) {
    for (const YamlNode& source : sources->items) read_from(source);
  }
  if (const YamlNode* list = child(&container, "env")) {
    for (const YamlNode& entry : list->items) read_one(entry);
  }
}

void Variables::forget(const std::string& name) {
  values_.erase(name);
  secrets_.erase(name);
  templates_.erase(name);
  if (passed_names_.erase(name) == 0) return;
  std::erase_if(passed_.env, [&](const YamlNode& each) { return text_of(child(&each, "name")) == name; });
}

bool Variables::take(const std::string& name, const std::string& text, const SourceRange& where) {
  forget(name);
  if (name.find(kReferenceMark) == std::string::npos && text.find(kReferenceMark) == std::string::npos)
    return reading_.take_bytes(name.size() + text.size() + kVariableBytes, where);
  reading_.error("E1802", where, "the variable `" + escaped(name) + "` contains the control character 0x1f",
                 "remove it, or put the text into a file that the program reads");
  return false;
}

void Variables::set(const std::string& name, std::string text, const SourceRange& where) {
  if (take(name, text, where)) values_[name] = text_node(std::move(text), where);
}

void Variables::set_secret(const std::string& name, std::string text, const SourceRange& where) {
  set(name, std::move(text), where);
  if (values_.contains(name)) secrets_.insert(name);
}

bool Variables::has_secret(const std::string& text) const {
  return std::any_of(secrets_.begin(), secrets_.end(), [&](const std::string& name) {
    const std::string reference = "$(" + name + ")";
    for (size_t at = text.find(reference); at != std::string::npos; at = text.find(reference, at + 1)) {
      const size_t before = text.find_last_not_of('$', at) + 1;  // $$ is one dollar sign
      if ((at - before) % 2 == 0) return true;
    }
    return false;
  });
}

void Variables::set_template(const std::string& name, std::string text, const SourceRange& where) {
  if (take(name, text, where)) templates_[name] = std::move(text);
}

void Variables::pass(const std::string& name, const YamlNode& entry) {
  if (!take(name, "", entry.where)) return;
  passed_.env.push_back(entry);
  passed_names_.insert(name);
}

bool Variables::reads_in_pod(std::string_view kind) const { return reading_.in_cluster() && kind == "Secret"; }

bool Variables::is_passed(const std::string& name) const { return passed_names_.contains(name); }

void Variables::read_from(const YamlNode& source) {
  const std::string prefix = text_of(child(&source, "prefix"));
  for (const auto& [key, kind] : {std::pair("configMapRef", "ConfigMap"), std::pair("secretRef", "Secret")}) {
    const YamlNode* reference = child(&source, key);
    if (reference == nullptr) continue;
    const std::string name = text_of(child(reference, "name"));
    const YamlNode* object = reading_.document(kind, name);
    if (object == nullptr && reading_.in_cluster()) {
      passed_.env_from.push_back(source);
    } else if (object == nullptr && !is_optional(*reference)) {
      reading_.error("E1807", reference->where, std::string("the ") + kind + " `" + escaped(name) + "` is not there",
                     std::string("put the ") + kind + " beside the job, in the same file or folder");
    }
    const bool is_secret = std::string_view(kind) == "Secret";
    const bool by_pod = reads_in_pod(kind);
    for (const char* part : {"data", "stringData"}) {
      const YamlNode* data = object == nullptr ? nullptr : child(object, part);
      if (data == nullptr) continue;
      const bool encoded = is_secret && std::string_view(part) == "data";
      for (const YamlEntry& entry : data->entries) {
        if (reading_.is_full()) return;
        const std::string variable = prefix + entry.key;
        const auto text = [&] { return encoded ? from_base64(entry.value.text).value_or("") : entry.value.text; };
        if (by_pod)
          pass(variable, variable_of_secret(variable, *reference, entry.key));
        else if (is_secret)
          set_secret(variable, text(), reference->where);
        else
          set(variable, text(), reference->where);
      }
    }
  }
}

void Variables::read_one(const YamlNode& entry) {
  const YamlNode* name = child(&entry, "name");
  if (name == nullptr || name->text.empty())
    return reading_.error("E1806", entry.where, "this variable has no name", "write `name`");
  const YamlNode* value = child(&entry, "value");
  const YamlNode* from = child(&entry, "valueFrom");
  if (from != nullptr && !text_of(value).empty())
    return reading_.error("E1802", value->where, "`" + escaped(name->text) + "` has both `value` and `valueFrom`",
                          "Kubernetes would reject it too; keep one of them");
  if (from != nullptr) return read_reference(entry, name->text, *from);
  if (value == nullptr) return set(name->text, "", entry.where);
  read_value(entry, name->text, *value);
}

// With an index of the pod in it, the value is a template; with a field that the cluster fills in, the cluster expands it.
void Variables::read_value(const YamlNode& entry, const std::string& name, const YamlNode& value) {
  const std::vector<Part> parts = parts_of(value, false);
  if (parts.size() == 1)
    return has_secret(value.text) ? set_secret(name, parts.front().text, value.where)
                                  : set(name, parts.front().text, value.where);
  std::string of_rank;
  std::string of_pod;
  bool by_rank = false;
  bool by_pod = false;
  for (const Part& part : parts) {
    const size_t before = of_rank.size() + of_pod.size();
    const auto found = part.name ? templates_.find(part.text) : templates_.end();
    by_rank |= part.name && found != templates_.end();
    by_pod |= part.name && found == templates_.end();
    of_rank += found != templates_.end() ? found->second : as_template(part.text);
    of_pod += part.name ? "$(" + part.text + ")" : as_template(part.text);
    if (!reading_.take_bytes(of_rank.size() + of_pod.size() - before, value.where)) return;
    if (std::max(of_rank.size(), of_pod.size()) > kLongestText) return report_long(value.where);
  }
  if (has_secret(value.text))
    note_secret(reading_, value.where, "`" + escaped(name) + "` has the value of a Secret and an index, and becomes",
                "use two variables, and combine them in the program");
  if (!by_pod) return set_template(name, std::move(of_rank), value.where);
  if (by_rank)
    return reading_.error(
        "E1803", value.where,
        "`" + escaped(name) + "` combines an index, which muster sets, with a value that the cluster sets",
        "use two variables, and combine them in the program");
  YamlNode expanded = entry;
  put(expanded, "value", text_node(std::move(of_pod), value.where));
  pass(name, expanded);
}

void Variables::read_reference(const YamlNode& entry, const std::string& name, const YamlNode& from) {
  if (const YamlNode* field = child(&from, "fieldRef")) return read_field(entry, name, *field);
  for (const auto& [key, kind] : {std::pair("configMapKeyRef", "ConfigMap"), std::pair("secretKeyRef", "Secret")}) {
    const YamlNode* reference = child(&from, key);
    if (reference == nullptr) continue;
    const std::string object_name = text_of(child(reference, "name"));
    const std::string in_object = text_of(child(reference, "key"));
    const YamlNode* object = reading_.document(kind, object_name);
    if (object == nullptr && reading_.in_cluster()) return pass(name, entry);
    const auto value = object == nullptr ? std::nullopt : value_in(*object, in_object);
    if (value && reads_in_pod(kind)) return pass(name, entry);
    if (value && std::string_view(kind) == "Secret") return set_secret(name, *value, reference->where);
    if (value) return set(name, *value, reference->where);
    if (is_optional(*reference)) return;
    return reading_.error("E1807", reference->where,
                          "`" + escaped(in_object) + "` of the " + kind + " `" + escaped(object_name) +
                              "` is not there, so `" + escaped(name) + "` has no value",
                          std::string("put the ") + kind + " beside the job, in the same file or folder");
  }
  if (reading_.in_cluster()) pass(name, entry);
}

void Variables::read_field(const YamlNode& entry, const std::string& name, const YamlNode& field) {
  const std::string path = text_of(child(&field, "fieldPath"));
  if (reading_.in_cluster() && path.find("completion-index") == std::string::npos &&
      path.find("jobset.sigs.k8s.io") == std::string::npos)
    return pass(name, entry);
  const auto known =
      std::find_if(kPodFields.begin(), kPodFields.end(), [&](const PodField& f) { return f.path == path; });
  if (known != kPodFields.end()) return set_template(name, std::string(known->word), entry.where);
  if (path == "metadata.name" || path == "metadata.uid") return set_template(name, std::string(kPodName), entry.where);
  if (path == "metadata.namespace") return set(name, reading_.name_space(), entry.where);
  reading_.error("E1803", field.where, "muster does not know the field `" + escaped(path) + "` of a pod",
                 "set the variable to a value");
}

YamlNode Variables::tree(const SourceRange& where) const {
  YamlNode map = map_node(where);
  for (const auto& [name, value] : values_) map.entries.push_back({name, value.where, value});
  return map;
}

Variables::Part Variables::part_of(const std::string& name, bool in_command) const {
  const auto value = values_.find(name);
  const bool anywhere = reading_.in_cluster() && !passed_.env_from.empty() && is_shell_variable(name);
  if (in_command && added_.contains(name)) return {name, true};
  if (value != values_.end()) return {value->second.text};
  if (templates_.contains(name) || is_passed(name) || (in_command && anywhere)) return {name, true};
  return {"$(" + name + ")"};
}

std::vector<Variables::Part> Variables::parts_of(const YamlNode& text, bool in_command) const {
  std::vector<Part> parts{{}};
  size_t bytes = 0;
  const auto add = [&](Part part) {
    bytes += part.text.size();
    if (part.name) {
      parts.push_back(std::move(part));
      parts.emplace_back();
    } else {
      parts.back().text += part.text;
    }
  };
  std::string_view rest = text.text;
  while (!rest.empty() && bytes <= kLongestText && !reading_.is_full()) {
    const size_t end = rest.starts_with("$(") ? rest.find(')') : std::string_view::npos;
    const size_t plain = std::max<size_t>(1, std::min(rest.find('$'), rest.size()));
    const size_t length = end != std::string_view::npos ? end + 1 : rest.starts_with("$$") ? 2 : plain;
    if (end != std::string_view::npos) {
      add(part_of(std::string(rest.substr(2, end - 2)), in_command));
    } else {
      add({std::string(rest.substr(0, rest.starts_with("$$") ? 1 : plain))});
    }
    rest.remove_prefix(length);
  }
  if (bytes <= kLongestText) return parts;
  report_long(text.where);
  return {{}};
}

void Variables::report_long(const SourceRange& where) const {
  reading_.error("E1802", where, "this text is longer than 128 KiB after its variables are filled in",
                 "Linux starts no program with such an argument or variable; put the text into a file");
}

std::string Variables::expand_word(const YamlNode& word) const {
  std::string expanded;
  for (const Part& part : parts_of(word, true)) expanded += part.name ? reference_to(part.text) : part.text;
  return reading_.take_bytes(expanded.size(), word.where) ? expanded : std::string();
}

}  // namespace muster
