// SPDX-License-Identifier: Apache-2.0
// test/golden/job_errors: NAME.txt is the expected report for NAME.yaml. NAME.config.yaml, if it exists, is its
// configuration. MUSTER_REWRITE_GOLDEN=1 writes the reports again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/job/file/validate.h"

namespace muster {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::filesystem::path> cases() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(MUSTER_SOURCE_DIR) + "/test/golden/job_errors")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".yaml") && !name.ends_with(".config.yaml")) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string report(const std::filesystem::path& path) {
  const std::filesystem::path config = std::filesystem::path(path).replace_extension(".config.yaml");
  std::vector<ConfigLayer> layers;
  if (std::filesystem::exists(config)) layers.push_back({"muster.yaml", read_file(config)});
  const std::string text = read_file(path);
  const auto found = check_job(parse_job_with_config(text, "job.yaml", layers), "job.yaml");
  std::vector<SourceText> sources = {{"job.yaml", text}};
  for (const ConfigLayer& layer : layers) sources.push_back({layer.file, layer.text});
  return render_diagnostics(found, sources, ReportStyle());
}

TEST(JobErrors, ReportsReadAsReviewed) {
  ASSERT_GE(cases().size(), 10u);
  const bool rewrite = std::getenv("MUSTER_REWRITE_GOLDEN") != nullptr;
  for (const std::filesystem::path& path : cases()) {
    const std::filesystem::path expected = std::filesystem::path(path).replace_extension(".txt");
    const std::string found = report(path);
    if (rewrite) std::ofstream(expected, std::ios::binary) << found;
    EXPECT_EQ(found, read_file(expected)) << path;
  }
}

}  // namespace
}  // namespace muster
