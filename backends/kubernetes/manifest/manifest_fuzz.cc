// SPDX-License-Identifier: Apache-2.0
// Every valid job file becomes objects, or a list of problems for a cluster.
#include <cstdint>
#include <cstdlib>

#include <nlohmann/json.hpp>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/job/file/validate.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace muster;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ParsedJob job = parse_job(text, "job.yaml");
  if (has_errors(check_job(job, "job.yaml"))) return 0;
  const ClusterJob cluster{.name = job.spec.name.empty() ? "a" : job.spec.name, .image = "muster:1"};
  if (has_errors(check_for_cluster(job.spec, cluster, "job.yaml", job.places))) return 0;
  for (const std::string& object : manifest_objects(job.spec, cluster)) {
    if (!nlohmann::json::accept(object)) std::abort();
  }
  return 0;
}
