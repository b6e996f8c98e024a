// SPDX-License-Identifier: Apache-2.0
#include "core/client/submission/manifest_draft.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/base/text.h"
#include "core/client/submission/job_source.h"
#include "core/client/submission/runtimes.h"
#include "core/job/document/diagnostic_sink.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/tree/node_tools.h"
#include "core/job/file/kubeflow/tree/tree_text.h"
#include "core/job/json_text.h"

namespace muster {
namespace {

constexpr std::string_view kOfVariable = "env.";  // keys of overrides

// The place where the job will run. Flags, variables and configuration decide it, because a manifest does not.
ManifestTarget target_of(const JobDraft& draft) {
  ParsedJob settings = parse_job_with_config("{}", draft.origin, draft.layers);
  apply_overrides(settings, draft.overrides);
  return settings.spec.backend == BackendKind::kubernetes ? ManifestTarget::cluster : ManifestTarget::hosts;
}

// What flags, variables and configuration say about images. Only the reader of the manifest needs the word `manifest`.
void take_image_settings(JobDraft& draft, ManifestPlace& place) {
  ParsedJob settings = parse_job_with_config("{}", draft.origin, draft.layers);
  apply_overrides(settings, draft.overrides);
  place.in_image = settings.spec.in_image.image;
  place.mounts = settings.spec.in_image.mounts;
  std::erase_if(draft.overrides,
                [](const Override& each) { return each.key == "in_image" && each.value == kImageOfManifest; });
}

// The namespace of the job: flags and variables override the manifest, which overrides configuration.
std::string namespace_of(const JobDraft& draft, const std::string& of_manifest) {
  const std::string text = of_manifest.empty() ? "{}" : "kubernetes: {namespace: " + json_quoted(of_manifest) + "}";
  ParsedJob settings = parse_job_with_config(text, draft.origin, draft.layers);
  apply_overrides(settings, draft.overrides);
  return settings.spec.kubernetes.cluster_namespace;
}

// The text of a runtime that is found becomes a source of the draft, so that messages show its lines. A failure becomes
// that of the draft.
RuntimeLookup kept_in(JobDraft& draft, const RuntimeLookup& lookup) {
  if (!lookup) return {};
  return [&draft, &lookup](const RuntimeReference& wanted) {
    auto found = lookup({wanted.kind, wanted.name, namespace_of(draft, wanted.name_space)});
    if (!found.ok()) draft.unasked = found.status();
    if (found.ok() && found->source) draft.sources.push_back(*found->source);
    return found;
  };
}

std::set<std::string> replaced_variables(const JobDraft& draft) {
  std::set<std::string> replaced;
  for (const Override& each : draft.overrides) {
    if (each.key.starts_with(kOfVariable)) replaced.insert(each.key.substr(kOfVariable.size()));
  }
  return replaced;
}

// Flags set variables of the job, and those of a group would win over them.
void drop_variables(YamlNode& tree, const std::set<std::string>& replaced) {
  const auto drop = [&](YamlNode* variables) {
    if (variables == nullptr) return;
    std::erase_if(variables->entries, [&](const YamlEntry& each) { return replaced.contains(each.key); });
  };
  drop(child(&tree, "env"));
  drop(child(&tree, "custom"));
  YamlNode* groups = child(&tree, "groups");
  if (groups == nullptr) return;
  for (YamlNode& group : groups->items) drop(child(&group, "env"));
}

// A file that is not YAML may have what the job lacks.
void add_unread(std::vector<Diagnostic>& diagnostics, std::vector<Diagnostic> unread) {
  if (unread.empty()) return;
  std::vector<std::string> files;
  for (const Diagnostic& each : unread) files.push_back("`" + escaped(each.where.file) + "`");
  const std::string others = "muster did not read " + short_list(files, 4) + ": not YAML";
  for (Diagnostic& each : diagnostics) {
    if (each.code == "E1805" || each.code == "E1807" || each.code == "E1808")
      each.help += (each.help.empty() ? "" : "; ") + others;
  }
  std::move(unread.begin(), unread.end(), std::back_inserter(diagnostics));
}

}  // namespace

ParsedJob parse_manifest(JobDraft& draft, ManifestSource source, const RuntimeLookup& runtimes,
                         const CallerContext& caller) {
  const std::vector<RuntimeFolder> folders = runtime_folders(caller, caller.workdir);
  std::vector<std::string> paths;
  for (const RuntimeFolder& folder : folders) paths.push_back(folder.path);
  ManifestPlace place{.target = target_of(draft), .origin = source.origin};
  // The reader of the manifest knows where the typed command belongs.
  std::erase_if(draft.overrides, [&](Override& each) {
    if (each.key != "command" || each.words.empty()) return false;
    place.typed_command = std::move(each.words);
    return true;
  });
  take_image_settings(draft, place);
  // An image with torchrun may have no `python`.
  const bool in_image = place.target == ManifestTarget::cluster || !place.in_image.empty();
  place.python = in_image ? "python3" : python_here(caller);
  std::vector<Diagnostic> unread;  // of registered runtimes
  place.registered = [&](const std::string& name) { return registered_manifest(name, paths, unread); };
  for (const RuntimeFile& each : find_runtimes(folders)) place.registered_names.push_back(each.name);
  place.cluster_runtimes = kept_in(draft, runtimes);
  ManifestJob job;
  if (source.problems.empty())
    job = read_manifest(source.documents, place);
  else
    job.diagnostics = std::move(source.problems);
  for (SourceText& each : source.sources) draft.sources.push_back(std::move(each));
  draft.diagnostics = std::move(job.diagnostics);
  std::move(unread.begin(), unread.end(), std::back_inserter(draft.diagnostics));
  add_unread(draft.diagnostics, std::move(source.unread));
  draft.manifest_kind = job.kind;
  draft.manifest_secrets = std::move(job.secrets);
  if (has_errors(draft.diagnostics)) return {};
  for (std::string& note : job.notes) draft.remarks.push_back(std::move(note));
  // The reader has put the volumes of the manifest and the mounts of the user together.
  if (find(&job.tree, {"in_image", "mounts"}) != nullptr)
    std::erase_if(draft.overrides, [](const Override& each) { return each.key == "in_image.mounts"; });
  const std::set<std::string> replaced = replaced_variables(draft);
  drop_variables(job.tree, replaced);
  draft.manifest = job.tree;
  draft.name_word = text_of(find(&job.object, {"metadata", "generateName"}));
  forget_values(job.object, replaced);
  draft.manifest_object = tree_json(job.object);
  return parse_job_tree(std::move(job.tree), draft.origin, draft.layers);
}

}  // namespace muster
