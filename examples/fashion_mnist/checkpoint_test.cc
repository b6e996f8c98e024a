// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "network.h"

namespace fm {
namespace {

class CheckpointTest : public testing::Test {
 protected:
  CheckpointTest() {
    folder_ = testing::TempDir() + "fm_checkpoint_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    path_ = folder_ + "/deep/run.fm";
    checkpoint_ = {938, 128, 7, first_state(7)};
    save_checkpoint(path_, checkpoint_);
  }
  ~CheckpointTest() override { std::filesystem::remove_all(folder_); }

  std::string complaint(std::uint64_t batch = 128, std::uint64_t seed = 7) {
    try {
      load_checkpoint(path_, batch, seed);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  void overwrite(std::streamoff at, char byte) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(at);
    file.put(byte);
  }

  std::string folder_, path_;
  Checkpoint checkpoint_;
};

TEST_F(CheckpointTest, ComesBackAsItWas) {
  const auto found = load_checkpoint(path_, 128, 7);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->step, 938U);
  EXPECT_EQ(found->state, checkpoint_.state);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".partial"));
}

TEST_F(CheckpointTest, NoFileIsNoCheckpoint) { EXPECT_FALSE(load_checkpoint(folder_ + "/other.fm", 128, 7)); }

TEST_F(CheckpointTest, ANewOneTakesThePlaceOfTheOld) {
  checkpoint_.step = 939;
  save_checkpoint(path_, checkpoint_);
  EXPECT_EQ(load_checkpoint(path_, 128, 7)->step, 939U);
}

TEST_F(CheckpointTest, ACutFileIsDamaged) {
  std::filesystem::resize_file(path_, 1000);
  EXPECT_NE(complaint().find("is damaged: 1000 bytes"), std::string::npos) << complaint();
  EXPECT_NE(complaint().find("--checkpoint FILE"), std::string::npos) << complaint();
}

TEST_F(CheckpointTest, AnotherByteIsDamage) {
  overwrite(5000, '\x55');
  EXPECT_NE(complaint().find("is damaged"), std::string::npos) << complaint();
}

TEST_F(CheckpointTest, AnotherStepIsDamage) {
  overwrite(8, '\x55');
  EXPECT_NE(complaint().find("is damaged"), std::string::npos) << complaint();
}

TEST_F(CheckpointTest, ForeignAndEmptyFilesAreTold) {
  overwrite(0, 'P');
  EXPECT_NE(complaint().find("is not a checkpoint of fashion_mnist"), std::string::npos) << complaint();
  std::filesystem::resize_file(path_, 0);
  EXPECT_NE(complaint().find("is not a checkpoint of fashion_mnist"), std::string::npos) << complaint();
}

TEST_F(CheckpointTest, OfAnotherRun) {
  EXPECT_NE(complaint(64, 7).find("--batch 128 --seed 7, but this run has --batch 64 --seed 7"), std::string::npos);
  EXPECT_NE(complaint(128, 8).find("this run has --batch 128 --seed 8"), std::string::npos);
}

TEST_F(CheckpointTest, AFolderThatCannotBeMade) {
  EXPECT_THROW(save_checkpoint(path_ + "/below/a/file.fm", checkpoint_), std::runtime_error);
}

}  // namespace
}  // namespace fm
