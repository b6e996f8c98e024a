// SPDX-License-Identifier: Apache-2.0
#include "dataset.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "shape.h"

namespace fm {
namespace {

std::string word(std::uint32_t value) {
  return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
          static_cast<char>(value)};
}
const std::string kImages = word(0x803) + word(2) + word(28) + word(28) + std::string(2 * kPixels, '\x7f');
const std::string kLabels = word(0x801) + word(2) + std::string("\x03\x09", 2);

class DatasetTest : public testing::Test {
 protected:
  DatasetTest() {
    folder_ = testing::TempDir() + "fm_dataset_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    write("images-idx3", kImages);
    write("labels-idx1", kLabels);
  }
  ~DatasetTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& kind) const { return folder_ + "/train-" + kind + "-ubyte.gz"; }
  void write(const std::string& kind, const std::string& content) {
    const gzFile file = gzopen(path(kind).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
  }
  std::string complaint() {
    try {
      read_dataset(folder_, "train");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }
  void expect_complaint(const std::string& part) {
    EXPECT_NE(complaint().find(part), std::string::npos) << complaint();
  }

  std::string folder_;
};

TEST_F(DatasetTest, ReadsImagesAndLabels) {
  const Dataset data = read_dataset(folder_, "train");
  EXPECT_EQ(data.size(), 2U);
  EXPECT_EQ(data.pixels, std::vector<std::uint8_t>(2 * kPixels, 0x7f));
  EXPECT_EQ(data.labels, (std::vector<std::uint8_t>{3, 9}));
}

TEST_F(DatasetTest, MissingFileNamesThePackageAndTheOption) {
  std::filesystem::remove(path("labels-idx1"));
  expect_complaint("install Debian's package dataset-fashion-mnist");
  expect_complaint("--data FOLDER");
}

TEST_F(DatasetTest, ShortFile) {
  write("images-idx3", kImages.substr(0, kImages.size() - 1));
  expect_complaint("announces 1568 bytes, but 1567 follow");
}

TEST_F(DatasetTest, LongFile) {
  write("labels-idx1", kLabels + "x");
  expect_complaint("announces 2 bytes, but 3 follow");
}

TEST_F(DatasetTest, OnlyAHeader) {
  write("labels-idx1", kLabels.substr(0, 6));
  expect_complaint("does not begin like an idx file");
}

TEST_F(DatasetTest, AnotherKindOfFile) {
  write("images-idx3", kLabels);
  expect_complaint("does not begin like an idx file of bytes with 3 dimensions");
}

TEST_F(DatasetTest, OtherSizesOfImages) {
  write("images-idx3", word(0x803) + word(2) + word(32) + word(28) + std::string(2 * 32 * 28, 'x'));
  expect_complaint("32 by 28 pixels, not 28 by 28");
}

TEST_F(DatasetTest, FewerLabelsThanImages) {
  write("labels-idx1", word(0x801) + word(1) + "\x03");
  expect_complaint("1 labels for 2 images");
}

TEST_F(DatasetTest, ALabelThatIsNone) {
  write("labels-idx1", word(0x801) + word(2) + "\x03\x0a");
  expect_complaint("a label 10; labels are 0 to 9");
}

TEST_F(DatasetTest, AFileThatWasCut) {
  std::filesystem::resize_file(path("images-idx3"), std::filesystem::file_size(path("images-idx3")) - 10);
  expect_complaint("is damaged or not the expected file");
}

TEST_F(DatasetTest, AFlippedByte) {
  std::fstream file(path("images-idx3"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(20);
  file.put('\x55');
  file.close();
  expect_complaint("is damaged or not the expected file");
}

}  // namespace
}  // namespace fm
