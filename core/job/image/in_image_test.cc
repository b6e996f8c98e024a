// SPDX-License-Identifier: Apache-2.0
#include "core/job/image/in_image.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

TEST(MountOf, SourceAlone_IsSeenAtTheSamePath) {
  EXPECT_EQ(mount_of("/data"), (ContainerMount{"/data", "/data", false}));
}

TEST(MountOf, SourceTargetAndMode_AreRead) {
  EXPECT_EQ(mount_of("/data:/mnt"), (ContainerMount{"/data", "/mnt", false}));
  EXPECT_EQ(mount_of("/data:/mnt:ro"), (ContainerMount{"/data", "/mnt", true}));
  EXPECT_EQ(mount_of("/data:ro"), (ContainerMount{"/data", "/data", true}));
  EXPECT_EQ(mount_of("~/sets:/mnt:rw"), (ContainerMount{"~/sets", "/mnt", false}));
  EXPECT_EQ(mount_of("~/sets"), (ContainerMount{"~/sets", "~/sets", false}));
}

TEST(MountOf, RelativePathsAndMoreParts_AreRefused) {
  for (const char* text : {"", "data", "/data:mnt", "/data:~/mnt", "/a:/b:/c", "/a:/b:ro:ro", ":", ":mnt", ":/mnt:ro"})
    EXPECT_EQ(mount_of(text), std::nullopt) << text;
}

TEST(MountOf, NoSource_IsAFolderOfTheJob) { EXPECT_EQ(mount_of(":/mnt"), (ContainerMount{"", "/mnt", false})); }

TEST(MountOf, ItsText_IsReadBack) {
  for (const char* text : {":/mnt", "/data", "/data:/mnt", "/data:/mnt:ro", "/data:ro"})
    EXPECT_EQ(to_string(*mount_of(text)), text);
}

TEST(IsImagePath, PathsAndNames_AreToldApart) {
  for (const char* path : {"/images/a.sif", "./a.sif", "../a", "~/a.sqsh"}) EXPECT_TRUE(is_image_path(path)) << path;
  for (const char* name : {"a", "registry.example/a:7", "docker://a", "a.sif"})
    EXPECT_FALSE(is_image_path(name)) << name;
}

}  // namespace
}  // namespace muster
