// SPDX-License-Identifier: Apache-2.0
// test/golden/manifests has job files and the objects that `muster render` prints for them. The API server of test/cluster accepts
// all of them. MUSTER_REWRITE_GOLDEN=1 rewrites the objects.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/kubernetes/manifest/manifest.h"
#include "core/base/text.h"
#include "core/client/view/json.h"
#include "core/job/file/validate.h"

namespace muster {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(MUSTER_SOURCE_DIR) / "test/golden/manifests"; }

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string stream_of(const std::vector<std::string>& objects) {
  std::vector<std::string> documents;
  for (const std::string& object : objects) documents.push_back(yaml_from_json(object));
  return join(documents, "---\n");
}

ClusterJob of(const JobSpec& spec) { return {.name = spec.name, .image = "muster:1.2.3"}; }

JobSpec job_of(const std::string& text, const std::string& file) {
  const ParsedJob job = parse_job(text, file);
  auto problems = check_job(job, file);
  for (Diagnostic& each : check_for_cluster(job.spec, of(job.spec), file, job.places)) problems.push_back(each);
  EXPECT_TRUE(problems.empty()) << render_diagnostics(problems, text, false);
  return job.spec;
}

void compare(const fs::path& path, const std::string& found) {
  if (std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr) std::ofstream(path) << found;
  EXPECT_EQ(found, read(path)) << path;
}

TEST(Golden, Manifests) {
  size_t seen = 0;
  for (const auto& each : fs::directory_iterator(folder())) {
    const std::string file = each.path().filename();
    if (!file.ends_with(".yaml")) continue;
    const JobSpec spec = job_of(read(each.path()), file);
    compare(folder() / "objects" / file, stream_of(manifest_objects(spec, of(spec))));
    ++seen;
  }
  EXPECT_GE(seen, 15U);
}

TEST(Golden, TheSecretOfAJob) {
  const JobSpec spec = job_of(read(folder() / "texts.yaml"), "texts.yaml");
  ClusterJob job = of(spec);
  job.cluster_namespace = "research";
  job.owner_uid = "7f6c0b1e-0000-4000-8000-000000000000";
  const std::string secret = secret_object(spec, job, std::string(64, 'a'), {{"TOKEN", "a\"b$(c)\n"}});
  compare(folder() / "objects" / "secret", yaml_from_json(secret));
}

}  // namespace
}  // namespace muster
