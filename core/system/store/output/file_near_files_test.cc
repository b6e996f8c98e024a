// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/file_near_files.h"

#include "core/system/store/output/file_output_keeper.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

class FileNearFilesTest : public TempFolderTest {
 protected:
  Code read(uint64_t offset, size_t limit) { return files_.read(file_, offset, limit, bytes_).code(); }

  const std::string file_ = folder_ + "/trainer-0.out";
  FileNearFiles files_;
  std::string bytes_;
};

TEST_F(FileNearFilesTest, reads_what_is_there) {
  EXPECT_EQ(read(0, 100), Code::not_found);
  add(file_, "hello world");
  EXPECT_EQ(read(6, 3), Code::ok);
  EXPECT_EQ(bytes_, "wor");
  EXPECT_EQ(read(6, 100), Code::ok);
  EXPECT_EQ(bytes_, "world");
  EXPECT_EQ(read(11, 100), Code::data_loss);
  EXPECT_EQ(read(500, 100), Code::data_loss);
}

TEST_F(FileNearFilesTest, what_was_dropped_is_not_there) {
  add(file_, std::string(1 << 20, 'x'));
  FileOutputKeeper keeper;
  const Result<uint64_t> kept = keeper.drop_before(file_, 700'000);
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  EXPECT_EQ(read(0, 100), Code::data_loss);
  EXPECT_EQ(read(*kept - 1, 100), Code::data_loss);
  EXPECT_EQ(read(*kept, 100), Code::ok);
  EXPECT_EQ(bytes_, std::string(100, 'x'));
}

TEST_F(FileNearFilesTest, a_link_is_not_followed) {
  add(folder_ + "/elsewhere", "secret");
  std::filesystem::create_symlink(folder_ + "/elsewhere", file_);
  EXPECT_NE(read(0, 100), Code::ok);
}

}  // namespace
}  // namespace muster::store
