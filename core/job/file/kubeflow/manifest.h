// SPDX-License-Identifier: Apache-2.0
// Reads a manifest of Kubeflow, a JobSet or a Job as the tree of a job file, which parse_job_tree() (job_yaml.h) turns
// into a JobSpec. Each value of the tree has its place in the manifest. Pure; reads no files.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/fields/field.h"

namespace muster {

// The documents of one or more files, in order.
using ManifestDocuments = std::vector<YamlNode>;

// Whether the text can be a manifest: it has `apiVersion` and `kind` at the start of lines. Fast; job files do not.
bool looks_like_manifest(std::string_view text);

// Of `from` in `env`: a variable whose value is in ManifestJob::secrets.
inline constexpr std::string_view kSecretOfManifest = "manifest:";

// As `in_image`: the image that the manifest names.
inline constexpr const char* kImageOfManifest = "manifest";

// The kinds of runtimes.
inline constexpr std::string_view kNamespacedRuntime = "TrainingRuntime";
inline constexpr std::string_view kClusterRuntime = "ClusterTrainingRuntime";  // the default of runtimeRef.kind

// What `spec.runtimeRef` of a TrainJob names.
struct RuntimeReference {
  std::string kind;  // kNamespacedRuntime or kClusterRuntime
  std::string name;
  std::string name_space;  // that of the job; empty: the manifest names none
};
struct FoundRuntime {
  std::optional<SourceText> source;  // the runtime as YAML, and the place that messages name
  std::vector<std::string> names;    // if there is none: the others of the same kind
  std::string other_kind;            // if there is none: the kind that has one of this name; empty: none has
  // Where it was looked for; empty: kubectl's configuration decides.
  std::string context;
  std::string name_space;
};
// A failure, as of kubectl: the cluster could not be asked.
using RuntimeLookup = std::function<Result<FoundRuntime>(const RuntimeReference&)>;

// The facts about a manifest that are not in it.
struct ManifestPlace {
  ManifestTarget target = ManifestTarget::hosts;
  std::string origin;             // the file or folder as it was typed
  std::string python = "python";  // what starts the scripts of torchrun there
  // The image of ranks on hosts. Empty: none. kImageOfManifest: the image in the manifest.
  std::string in_image = {};
  std::vector<std::string> mounts = {};  // the user's `in_image.mounts`
  // A command that the user typed. It takes the place of `command`, or of the entry point of the image where a container
  // has none; then `args` follow it. Empty: none was typed.
  std::vector<std::string> typed_command = {};
  // The TrainingRuntime that is registered with this name; nullopt: none. May be empty.
  std::function<std::optional<YamlNode>(const std::string& name)> registered = {};
  // Names of registered runtimes, for "did you mean".
  std::vector<std::string> registered_names = {};
  // Finds runtimes of a cluster, which are used in place of registered and built-in ones. May be empty.
  RuntimeLookup cluster_runtimes = {};
};

struct ManifestJob {
  YamlNode tree;    // of a job file; usable only if `diagnostics` has no errors
  YamlNode object;  // the document of the job
  std::string kind;
  std::string api_version;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> notes;  // what has no effect there, one line each, with its place
  // On hosts: values of Secrets beside the job, by variable. In `tree` these variables are {from: "manifest:NAME"}.
  std::map<std::string, std::string> secrets;
};

// Exactly one of the documents must be a job.
ManifestJob read_manifest(const ManifestDocuments& documents, const ManifestPlace& place);

// Removes the values of these variables from each `env` in the object: flags replace them, so they need not be recorded.
void forget_values(YamlNode& object, const std::set<std::string>& variables);

// The problems of a runtime of either kind, whoever uses it, and its name.
struct ManifestRuntime {
  std::string name;
  SourceRange where;  // of the name
  std::vector<Diagnostic> diagnostics;
};
// nullopt: the document is of another kind.
std::optional<ManifestRuntime> check_runtime(const YamlNode& document);

// The kinds that are jobs: "TrainJob (trainer.kubeflow.org/v1alpha1)".
std::vector<std::string> manifest_kinds();

}  // namespace muster
