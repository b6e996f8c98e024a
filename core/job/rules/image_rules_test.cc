// SPDX-License-Identifier: Apache-2.0
#include "core/job/rules/image_rules.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

JobSpec spec_with(const InImageSpec& in_image, BackendKind backend = BackendKind::local) {
  JobSpec spec;
  spec.groups.emplace_back();
  spec.in_image = in_image;
  spec.backend = backend;
  return spec;
}

std::string first_path(const JobSpec& spec) {
  const auto found = image_contradictions(spec);
  return found.empty() ? "" : found.front().path;
}

TEST(ImageRules, NamesAndPathsOfImages_AreAccepted) {
  for (const char* image : {"train", "registry.example/a/train:7", "docker://train", "/images/train.sif"})
    EXPECT_EQ(first_path(spec_with({image})), "") << image;
}

TEST(ImageRules, FlagsAndBlanks_AreNoImages) {
  for (const char* image : {"--privileged", "a b", "a\nb"})
    EXPECT_EQ(first_path(spec_with({image})), "in_image") << image;
}

TEST(ImageRules, PathForAnEngine_IsRefused) {
  EXPECT_EQ(first_path(spec_with({"./a.sif", ContainerProgram::podman})), "in_image");
  EXPECT_EQ(first_path(spec_with({"./a.sif", ContainerProgram::apptainer})), "");
}

TEST(ImageRules, AnotherImageOfThePods_IsRefusedInAClusterOnly) {
  JobSpec spec = spec_with({"a"}, BackendKind::kubernetes);
  EXPECT_EQ(first_path(spec), "");
  spec.kubernetes.image = "b";
  EXPECT_EQ(first_path(spec), "in_image");
  spec.backend = BackendKind::local;
  EXPECT_EQ(first_path(spec), "");
}

TEST(ImageRules, WrongMount_IsReportedAtItsPlace) {
  EXPECT_EQ(first_path(spec_with({"a", ContainerProgram::automatic, {"/data", "data"}})), "in_image.mounts.1");
}

TEST(ImageRules, FileOutsideTheNewFolders_IsRefused) {
  InImageSpec in_image{"a", ContainerProgram::automatic, {":/etc/t", "/data:/data"}};
  for (const char* path : {"/etc/t/a", "/etc/t/b/c"}) {
    in_image.files = {{path, "text"}};
    EXPECT_EQ(first_path(spec_with(in_image)), "") << path;
  }
  EXPECT_EQ(first_path(spec_with(in_image, BackendKind::kubernetes)), "in_image.files") << "pods have none";
  for (const char* path : {"a", "/etc/t", "/etc/t/", "/etc/other", "/data/a", "/etc/t/../a"}) {
    in_image.files = {{path, "text"}};
    EXPECT_EQ(first_path(spec_with(in_image)), "in_image.files") << path;
  }
}

}  // namespace
}  // namespace muster
