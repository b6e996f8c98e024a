// SPDX-License-Identifier: Apache-2.0
// Reads manifests of Kubeflow, JobSets and Jobs from a file, a folder or standard input. Reads files of this machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/diagnostic.h"
#include "core/job/document/yaml_document.h"
#include "core/job/file/kubeflow/manifest.h"

namespace muster {

struct ManifestSource {
  std::string origin;           // the file or folder as it was typed
  ManifestDocuments documents;  // of all files, in the order of their names
  std::vector<SourceText> sources;
  std::vector<Diagnostic> problems;
  std::vector<Diagnostic> unread;  // warnings, one for each file of the folder that is not YAML
};

// nullopt: the text is no manifest.
std::optional<ManifestSource> manifest_in(const std::string& text, const std::string& origin);

// All manifests in the files *.yaml, *.yml and *.json of the folder, not of folders below it. Other files are skipped.
// not_found: there is none. resource_exhausted: more than 100 files, or more than 2 MiB.
Result<ManifestSource> manifests_of_folder(const std::string& folder);

// The manifest of the runtime that is registered as NAME.yaml in one of the folders, the strongest first. nullopt: there
// is none, or the runtime is not a manifest, or it cannot be read, which is added to `problems`.
std::optional<YamlNode> registered_manifest(const std::string& name, const std::vector<std::string>& folders,
                                            std::vector<Diagnostic>& problems);

}  // namespace muster
