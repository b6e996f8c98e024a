// SPDX-License-Identifier: Apache-2.0
// For tests: manifests, translated and read as jobs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/job/file/job_yaml.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/validate.h"

namespace muster {

struct Translated {
  JobSpec spec;
  std::vector<Diagnostic> problems;
  std::vector<std::string> notes;
  std::map<std::string, std::string> secrets;

  const GroupSpec& group(size_t at = 0) const { return spec.groups.at(at); }
  // "E1801 4:5 message" of each problem.
  std::string told() const {
    std::string text;
    for (const Diagnostic& each : problems)
      text += each.code + " " + std::to_string(each.where.line) + ":" + std::to_string(each.where.column) + " " +
              each.message + (each.label.empty() ? "" : " (" + each.label + ")") + "\n";
    return text;
  }
};

inline Translated translated(const std::string& text, ManifestPlace place = {}) {
  YamlDocuments read = load_yaml_documents(text, "job.yaml");
  Translated result;
  if (read.problem) {
    result.problems = {*read.problem};
    return result;
  }
  ManifestJob job = read_manifest(read.roots, place);
  result.problems = job.diagnostics;
  result.notes = job.notes;
  result.secrets = job.secrets;
  if (has_errors(result.problems)) return result;
  const ParsedJob parsed = parse_job_tree(std::move(job.tree), "job.yaml", {});
  result.problems = check_job(parsed, "job.yaml");
  result.spec = parsed.spec;
  return result;
}

inline Translated in_cluster(const std::string& text) { return translated(text, {.target = ManifestTarget::cluster}); }

// A manifest with these lines in `spec`, each indented by two spaces.
inline std::string manifest(const std::string& version, const std::string& kind, const std::string& spec) {
  return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: mnist}\nspec:\n" + spec;
}

// A line of replica specs. `container` and `more`: entries of flow maps.
inline std::string replica(const std::string& role, int replicas, const std::string& container,
                           const std::string& more = "") {
  return "    " + role + ": {replicas: " + std::to_string(replicas) + more + ", template: {spec: {containers: [{" +
         container + "}]}}}\n";
}

inline std::string pytorch(const std::string& replicas, const std::string& more = "") {
  return manifest("kubeflow.org/v1", "PyTorchJob", more + "  pytorchReplicaSpecs:\n" + replicas);
}

}  // namespace muster
