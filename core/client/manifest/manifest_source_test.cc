// SPDX-License-Identifier: Apache-2.0
#include "core/client/manifest/manifest_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

std::string told(const std::optional<ManifestSource>& source) {
  if (!source) return "no manifest";
  std::string text;
  for (const Diagnostic& each : source->problems) text += each.code + " " + each.message + "\n";
  return text;
}

TEST(ManifestSource, HalfAnObject_IsAnErrorAndNoJobFile) {
  EXPECT_EQ(told(manifest_in("kind: TrainJob\nspec: {}\n", "a")), "E1806 this object has no `apiVersion`\n");
  EXPECT_EQ(told(manifest_in("{\"apiVersion\": \"v1\", \"metadata\": {}}", "a")), "E1806 this object has no `kind`\n");
  EXPECT_EQ(told(manifest_in("command: [x]\nenv: {kind: a}\n", "a")), "no manifest");
  EXPECT_EQ(told(manifest_in("command: [\nkind: x", "a")), "no manifest") << "the reader of job files says more";
}

TEST(ManifestSource, AFolder_ReportsHalfObjectsAndSkipsFilesOfOthers) {
  char name[] = "/tmp/muster-test-XXXXXX";
  const std::string folder = mkdtemp(name);
  std::ofstream(folder + "/a.yaml") << "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
  std::ofstream(folder + "/b.yaml") << "command: [python, train.py]\n";
  std::ofstream(folder + "/Chart.yaml") << "apiVersion: v2\nname: chart\n";
  std::ofstream(folder + "/mkdocs.yml") << "kind: !!python/name:a\n";
  std::ofstream(folder + "/train.json") << "{\"a\": 1}\n{\"a\": 2}\n";
  std::ofstream(folder + "/broken.yaml") << "data: {k: [\n";
  EXPECT_EQ(told(*manifests_of_folder(folder)), "");
  const std::vector<Diagnostic> unread = manifests_of_folder(folder)->unread;
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_EQ(unread[0].severity, Severity::warning);
  EXPECT_EQ(unread[0].where.file, folder + "/broken.yaml");
  EXPECT_TRUE(unread[0].message.starts_with("muster did not read this file: this is not YAML")) << unread[0].message;
  std::ofstream(folder + "/c.yaml") << "kind: ConfigMap\nmetadata: {name: c}\n";
  EXPECT_EQ(told(*manifests_of_folder(folder)), "E1806 this object has no `apiVersion`\n");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace muster
