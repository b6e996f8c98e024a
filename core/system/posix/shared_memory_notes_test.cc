// SPDX-License-Identifier: Apache-2.0
#include "core/system/posix/shared_memory_notes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

namespace fs = std::filesystem;

TEST(SharedMemoryNotes, Remove_TakesTheNotedMemoryAndNothingElse) {
  char made[] = "/tmp/muster-test-XXXXXX";
  ASSERT_NE(mkdtemp(made), nullptr);
  const fs::path folder = made;
  const std::string noted = folder.filename().string() + "-noted", other = folder.filename().string() + "-other";
  for (const std::string& name : {noted, other}) std::ofstream("/dev/shm/" + name) << "bytes";
  std::ofstream(folder.string() + "-file") << "bytes";
  fs::create_symlink(folder.string() + "-file", folder / "link");
  note_shared_memory(folder, noted);
  note_shared_memory(folder, "muster-test-never-made");
  remove_with_shared_memory(folder);
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_FALSE(fs::exists("/dev/shm/" + noted));
  EXPECT_TRUE(fs::exists("/dev/shm/" + other));
  EXPECT_TRUE(fs::exists(folder.string() + "-file"));
  fs::remove("/dev/shm/" + other);
  fs::remove(folder.string() + "-file");
  remove_with_shared_memory(folder);
}

}  // namespace
}  // namespace muster
