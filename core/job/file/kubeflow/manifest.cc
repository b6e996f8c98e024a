// SPDX-License-Identifier: Apache-2.0
#include "core/job/file/kubeflow/manifest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "core/base/text.h"
#include "core/job/file/kubeflow/field_check.h"
#include "core/job/file/kubeflow/fields/kind_fields.h"
#include "core/job/file/kubeflow/job_settings.h"
#include "core/job/file/kubeflow/kinds.h"
#include "core/job/file/kubeflow/pod_cluster.h"
#include "core/job/file/kubeflow/reading.h"
#include "core/job/file/kubeflow/tree/kubernetes_values.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/pod_words.h"

namespace muster {
namespace {

using Kind = YamlNode::Kind;

constexpr std::string_view kTrainer = "trainer.kubeflow.org/v1alpha1";

struct ObjectWords {
  std::string api_version;
  std::string kind;
};

ObjectWords words_of(const YamlNode& document) {
  return {text_of(child(&document, "apiVersion")), text_of(child(&document, "kind"))};
}

bool is_runtime(const ObjectWords& words) { return words.kind == kNamespacedRuntime || words.kind == kClusterRuntime; }

// Objects whose values the readers take.
bool has_values(const ObjectWords& words) {
  return words.api_version == "v1" && (words.kind == "ConfigMap" || words.kind == "Secret");
}

std::string group_of(const std::string& api_version) { return api_version.substr(0, api_version.find('/')); }

// Objects that may be beside a job, which are neither read nor created. Kubeflow's groups have none, because with a
// mistake in its kind or version, a part of the job would be left out.
bool is_other(const ObjectWords& words) {
  const std::string group = group_of(words.api_version);
  const auto kinds = all_manifest_kinds();
  const bool near = std::any_of(kinds.begin(), kinds.end(), [&](const ManifestKind& each) {
    return each.kind == words.kind || group_of(std::string(each.api_version)) == group;
  });
  const auto is_nearly = [&](std::string_view kind) {
    return std::equal(kind.begin(), kind.end(), words.kind.begin(), words.kind.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  const bool mistyped = group == "v1" && (is_nearly("ConfigMap") || is_nearly("Secret"));
  return !words.kind.empty() && !mistyped && !group.empty() && !group.ends_with("kubeflow.org") && !near &&
         !has_values(words) && !is_runtime(words);
}

// "Service `web`"
std::string named_object(const YamlNode& document) {
  const std::string name = text_of(find(&document, {"metadata", "name"}));
  return escaped(words_of(document).kind) + (name.empty() ? "" : " `" + escaped(name) + "`");
}

const YamlNode& place_of_kind(const YamlNode& document, const char* key) {
  const YamlNode* there = child(&document, key);
  return there == nullptr ? document : *there;
}

void report_kind(Reading& reading, const YamlNode& document, const ObjectWords& words) {
  if (words.kind.empty() || words.api_version.empty())
    return reading.error("E1804", document.where, "this document has no `kind` and `apiVersion`, so it is no manifest",
                         "a job file of muster is a file of its own");
  std::vector<std::string> names;
  for (const ManifestKind& each : all_manifest_kinds()) {
    names.emplace_back(each.kind);
    if (words.kind != each.kind || group_of(words.api_version) != group_of(std::string(each.api_version))) continue;
    return reading.error("E1804", place_of_kind(document, "apiVersion").where,
                         "muster does not know the version `" + escaped(words.api_version) + "` of " + words.kind,
                         "it reads " + std::string(each.api_version), std::string(each.api_version));
  }
  reading.error("E1804", place_of_kind(document, "kind").where,
                "muster does not read the kind `" + escaped(words.kind) + "` (" + escaped(words.api_version) + ")",
                "it reads " + join(manifest_kinds(), ", ") +
                    (reading.documents().size() == 1 ? "" : "; if the job does not need this object, move it away"),
                nearest(words.kind, names).value_or(""));
}

// Kinds of the core group that nobody takes for a job.
bool runs_nothing(const ObjectWords& words) {
  constexpr std::array<std::string_view, 4> kinds = {"PersistentVolumeClaim", "ServiceAccount", "Namespace", "Service"};
  return words.api_version == "v1" && std::find(kinds.begin(), kinds.end(), words.kind) != kinds.end();
}

// Without a job, the user may mean one of the objects that are no jobs.
void report_no_job(Reading& reading, const std::string& origin) {
  const ManifestDocuments& documents = reading.documents();
  bool meant = false;
  for (const YamlNode& document : documents) {
    const ObjectWords words = words_of(document);
    if (!is_other(words) || runs_nothing(words)) continue;
    report_kind(reading, document, words);
    meant = true;
  }
  if (!meant)
    reading.error("E1808", documents.empty() ? SourceRange{origin, 0, 0, 1} : documents.front().where,
                  "there is no job in these manifests", "to register a runtime: muster apply -f FILE");
}

// The only job among the documents; null after reporting that there is none, or several.
const YamlNode* only_job(Reading& reading, const ManifestDocuments& documents, const std::string& origin) {
  std::vector<const YamlNode*> jobs;
  bool wrong = false;
  for (const YamlNode& document : documents) {
    const ObjectWords words = words_of(document);
    if (find_manifest_kind(words.api_version, words.kind) != nullptr) {
      jobs.push_back(&document);
    } else if (!(is_runtime(words) && words.api_version == kTrainer) && !has_values(words) && !is_other(words)) {
      report_kind(reading, document, words);
      wrong = true;
    }
  }
  if (wrong || jobs.size() == 1) return wrong ? nullptr : jobs.front();
  if (jobs.empty()) {
    report_no_job(reading, origin);
    return nullptr;
  }
  std::vector<std::string> names;
  for (const YamlNode* job : jobs) names.push_back(escaped(text_of(find(job, {"metadata", "name"}))));
  reading.error("E1808", jobs[1]->where,
                "these manifests contain " + std::to_string(jobs.size()) + " jobs: " + short_list(names, 8),
                "run one file at a time, with one job in each");
  return nullptr;
}

// A JobSet of muster's own pods says too little about the job in it. True after reporting it.
bool is_written_by_muster(Reading& reading, const YamlNode& document) {
  const YamlNode* label = find(&document, {"metadata", "labels", pod::kJobLabel});
  if (label == nullptr || words_of(document).kind != "JobSet") return false;
  reading.error("E1803", label->where, "muster wrote this JobSet for a cluster, and does not read it back",
                "run or convert its source: the job file or manifest from which muster wrote it");
  return true;
}

void add_texts(const YamlNode& node, std::set<std::string_view>& texts) {
  if (node.kind == Kind::scalar) texts.insert(node.text);
  for (const YamlNode& item : node.items) add_texts(item, texts);
  for (const YamlEntry& entry : node.entries) add_texts(entry.value, texts);
}

// In a cluster muster creates objects of its own only. `tree`: the job file, which names the other ones that pods need.
// All that are not named have one note together.
void note_others(Reading& reading, const YamlNode& tree) {
  std::set<std::string_view> texts;
  if (const YamlNode* kubernetes = child(&tree, "kubernetes"); kubernetes != nullptr && reading.in_cluster())
    add_texts(*kubernetes, texts);
  std::vector<std::string> others;
  const YamlNode* first = nullptr;
  bool to_build = false;
  for (const YamlNode& document : reading.documents()) {
    const ObjectWords words = words_of(document);
    const YamlNode* name = find(&document, {"metadata", "name"});
    const bool other = is_other(words);
    if ((other || has_values(words)) && name != nullptr && texts.contains(name->text)) {
      reading.note(name->where, "muster does not create the " + named_object(document) +
                                    ": create it in the cluster before the job");
    } else if (other) {
      others.push_back(named_object(document));
      if (first == nullptr) first = &document;
      to_build |= words.kind == "Kustomization";
    }
  }
  if (first == nullptr) return;
  reading.note(first->where,
               (reading.in_cluster() ? "not created by muster: " : "not used here: ") + short_list(others, 12) +
                   (to_build ? "; to apply a Kustomization: kubectl kustomize FOLDER | muster run -" : ""));
}

// Variables that all groups have with the same value become those of the job, so that flags override them.
void share_variables(YamlNode& tree) {
  YamlNode* groups = child(&tree, "groups");
  const YamlNode* first = groups == nullptr ? nullptr : child(&groups->items.front(), "env");
  if (first == nullptr) return;
  std::vector<YamlEntry> shared;
  std::set<std::string> names;
  for (const YamlEntry& entry : first->entries) {
    const bool same = std::all_of(groups->items.begin(), groups->items.end(), [&](YamlNode& group) {
      const YamlNode* value = child(child(&group, "env"), entry.key);
      return value != nullptr && flat_text(*value) == flat_text(entry.value);
    });
    if (same && names.insert(entry.key).second) shared.push_back(entry);
  }
  for (YamlNode& group : groups->items) {
    if (YamlNode* env = child(&group, "env"))
      std::erase_if(env->entries, [&](const YamlEntry& each) { return names.contains(each.key); });
    std::erase_if(group.entries, [](const YamlEntry& each) { return each.key == "env" && each.value.entries.empty(); });
  }
  // A new key moves the others, so `groups` is not used after it.
  for (const YamlEntry& entry : shared) put(map_at(tree, "env", entry.value.where), entry.key, entry.value);
}

}  // namespace

bool looks_like_manifest(std::string_view text) {
  const auto has = [&](std::string_view key) {
    for (size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
      const char before = at == 0 ? '\n' : text[at - 1];
      if (before == '\n' || before == '{' || before == '"' || before == ' ' || before == ',' || before == '\xBF')
        return true;
    }
    return false;
  };
  return has("apiVersion") && has("kind");
}

ManifestJob read_manifest(const ManifestDocuments& documents, const ManifestPlace& place) {
  ManifestJob result;
  Reading reading(documents, place);
  const YamlNode* document = only_job(reading, documents, place.origin);
  if (document != nullptr && !is_written_by_muster(reading, *document)) {
    const ObjectWords words = words_of(*document);
    const ManifestKind& kind = *find_manifest_kind(words.api_version, words.kind);
    result.kind = words.kind;
    result.api_version = words.api_version;
    result.object = *document;
    result.tree = map_node(document->where);
    const std::string name_space = text_of(find(document, {"metadata", "namespace"}));
    if (!name_space.empty()) reading.set_name_space(name_space);
    check_fields(reading, kind.fields(), *document);
    for (const YamlNode& each : documents) check_values_object(reading, each);
    // A wrong type would only give more errors below it.
    std::vector<Diagnostic> found = reading.take_problems();
    const bool readable =
        std::none_of(found.begin(), found.end(), [](const Diagnostic& d) { return d.code == "E1802"; });
    if (readable) {
      YamlNode settled = *document;
      settle_values(settled);
      read_metadata(reading, result.tree, settled);
      kind.read(reading, result.tree, settled);
      if (!reading.is_full()) share_variables(result.tree);
      share_pod_settings(reading, result.tree);
      note_others(reading, result.tree);
    }
    result.diagnostics = std::move(found);
  }
  std::vector<Diagnostic> more = reading.take_problems();
  result.diagnostics.insert(result.diagnostics.end(), more.begin(), more.end());
  sort_by_place(result.diagnostics);
  result.notes = reading.take_notes();
  result.secrets = reading.take_secrets();
  return result;
}

void forget_values(YamlNode& object, const std::set<std::string>& variables) {
  for (YamlEntry& entry : object.entries) {
    forget_values(entry.value, variables);
    if (entry.key != "env") continue;
    for (YamlNode& variable : entry.value.items) {
      if (variables.contains(text_of(child(&variable, "name"))))
        std::erase_if(variable.entries, [](const YamlEntry& each) { return each.key == "value"; });
    }
  }
  for (YamlNode& item : object.items) forget_values(item, variables);
}

std::optional<ManifestRuntime> check_runtime(const YamlNode& document) {
  const ObjectWords words = words_of(document);
  if (!is_runtime(words)) return std::nullopt;
  const ManifestDocuments documents{document};
  const ManifestPlace place;
  Reading reading(documents, place);
  if (words.api_version != kTrainer) report_kind(reading, document, words);
  check_fields(reading, training_runtime_fields(), document);
  const YamlNode* name = find(&document, {"metadata", "name"});
  if (name == nullptr || name->text.empty())
    reading.error("E1806", document.where, "this runtime has no name", "add metadata.name");
  // Fields that muster does not support are legal in a runtime: they are refused when a job uses it.
  std::vector<Diagnostic> problems = reading.take_problems();
  std::erase_if(problems, [](const Diagnostic& each) { return each.code == "E1803"; });
  return ManifestRuntime{text_of(name), name == nullptr ? document.where : name->where, std::move(problems)};
}

std::vector<std::string> manifest_kinds() {
  std::vector<std::string> kinds;
  for (const ManifestKind& each : all_manifest_kinds())
    kinds.push_back(std::string(each.kind) + " (" + std::string(each.api_version) + ")");
  return kinds;
}

}  // namespace muster
