// SPDX-License-Identifier: Apache-2.0
// Any bytes: the readers of manifests answer for hosts and for a cluster, and what they translate can be read.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/job/file/job_yaml.h"
#include "core/job/file/kubeflow/manifest.h"
#include "core/job/file/kubeflow/tree/tree_text.h"
#include "core/job/file/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const YamlDocuments read = load_yaml_documents(text, "job.yaml");
  MUSTER_CHECK(!read.problem || read.roots.empty());
  for (const ManifestTarget target : {ManifestTarget::hosts, ManifestTarget::cluster}) {
    ManifestJob job = read_manifest(read.roots, {.target = target, .origin = "job.yaml"});
    MUSTER_CHECK(!render_diagnostics(job.diagnostics, text, false).empty() || job.diagnostics.empty());
    if (has_errors(job.diagnostics)) continue;
    MUSTER_CHECK(!tree_json(short_form(job.tree)).empty());
    const ParsedJob parsed = parse_job_tree(std::move(job.tree), "job.yaml", {});
    MUSTER_CHECK(!diagnostics_to_json(check_job(parsed, "job.yaml")).empty());
  }
  for (const YamlNode& document : read.roots) check_runtime(document);
  return 0;
}
