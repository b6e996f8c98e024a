// SPDX-License-Identifier: Apache-2.0
#include "backends/ssh/session/packed_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "backends/ssh/session/gzip.h"
#include "backends/ssh/session/zstd.h"

namespace muster::ssh {
namespace {

namespace fs = std::filesystem;

class PackedProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "packed-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string text_of(const std::string& path) const {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string unpacked(const std::string& packed) const {
    const std::string path = file("x.gz", packed);
    EXPECT_EQ(system(("gzip -dc '" + path + "' >'" + folder_ + "/x'").c_str()), 0);
    return text_of(folder_ + "/x");
  }

  std::string folder_;
};

std::string lines(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += std::to_string(i * i % 9973) + " repeats itself\n";
  return text;
}

TEST_F(PackedProgramTest, CompressedText_IsReadByGzip) {
  for (const std::string& text : {std::string(), std::string("x"), std::string(512 << 10, 'y'), lines(100'000)}) {
    const auto packed = gzip(text);
    ASSERT_TRUE(packed.ok());
    EXPECT_EQ(unpacked(*packed), text);
    EXPECT_EQ(unpacked_size(*packed), text.size());
  }
  EXPECT_LT(gzip(lines(100'000))->size(), lines(100'000).size() / 4);
  EXPECT_EQ(unpacked_size(""), 0u);
  EXPECT_EQ(unpacked_size(std::string(100, 'x')), 0u);
}

TEST_F(PackedProgramTest, ItIsPackedOnce) {
  const std::string program = file("program", lines(1000));
  const std::string kept = folder_ + "/packed/abc.gz";
  const auto first = packed_once(program, folder_ + "/packed", "abc");
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(text_of(kept), *first);
  EXPECT_EQ(unpacked(*first), lines(1000));
  const std::string other = *gzip(std::string(lines(1000).size(), 'z'));
  std::ofstream(kept, std::ios::binary) << other;
  EXPECT_EQ(*packed_once(program, folder_ + "/packed", "abc"), other) << "it is not packed again";
  std::ofstream(kept, std::ios::binary) << first->substr(0, 100);
  EXPECT_EQ(*packed_once(program, folder_ + "/packed", "abc"), *first) << "what was cut off is";
  EXPECT_EQ(text_of(kept), *first);
}

TEST_F(PackedProgramTest, CompressedText_IsReadByZstd) {
  for (const std::string& text : {std::string("x"), std::string(512 << 10, 'y'), lines(100'000)}) {
    const auto packed = zstd(text);
    ASSERT_TRUE(packed.ok());
    std::string back(text.size(), '\0');
    EXPECT_EQ(ZSTD_decompress(back.data(), back.size(), packed->data(), packed->size()), text.size());
    EXPECT_EQ(back, text);
    EXPECT_EQ(zstd_unpacked_size(*packed), text.size());
    EXPECT_EQ(zstd_unpacked_size(packed->substr(0, packed->size() - 1)), 0u);
  }
  for (const std::string& other : {std::string(), std::string("x"), std::string(100, 'x')})
    EXPECT_EQ(zstd_unpacked_size(other), 0u);
}

TEST_F(PackedProgramTest, AProgramForZstd_IsKeptUnderItsOwnName) {
  const std::string program = file("program", lines(1000));
  const auto first = packed_once(program, folder_ + "/packed", "abc", Packing::zstd);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(text_of(folder_ + "/packed/abc.zst"), *first);
}

TEST_F(PackedProgramTest, FewOthersAreKept) {
  const std::string program = file("program", "x");
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(packed_once(program, folder_ + "/packed", std::to_string(i)).ok());
    for (const auto& each : fs::directory_iterator(folder_ + "/packed"))
      fs::last_write_time(each, fs::last_write_time(each) - std::chrono::hours(1));
  }
  EXPECT_FALSE(fs::exists(folder_ + "/packed/0.gz"));
  EXPECT_FALSE(fs::exists(folder_ + "/packed/1.gz"));
  for (int i = 2; i < 6; ++i) EXPECT_TRUE(fs::exists(folder_ + "/packed/" + std::to_string(i) + ".gz")) << i;
}

TEST_F(PackedProgramTest, WhereItCannotBeKeptItIsPackedAllTheSame) {
  const std::string program = file("program", "x");
  EXPECT_EQ(unpacked(*packed_once(program, program + "/below a file", "abc")), "x");
}

TEST_F(PackedProgramTest, AProgramIsKnownWithoutReadingIt) {
  const auto hash = program_hash("/proc/self/exe");
  ASSERT_TRUE(hash.ok());
  EXPECT_EQ(hash->size(), 32u);
  EXPECT_EQ(*hash, *program_hash("/proc/self/exe"));
  EXPECT_NE(*hash, *program_hash(file("longer", "x"))) << "the length counts";
}

}  // namespace
}  // namespace muster::ssh
