#include "core/wire/lean_pipe.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

class LeanPipeTest : public testing::Test {
 protected:
  LeanPipeTest() { made_ = new_lean_pipe(&one_, &other_); }
  ~LeanPipeTest() override {
    BIO_free(one_);
    BIO_free(other_);
  }
  static int write(BIO* end, const std::string& bytes) {
    return BIO_write(end, bytes.data(), static_cast<int>(bytes.size()));
  }
  static std::string read(BIO* end, size_t most) {
    std::string bytes(most, '\0');
    const int count = BIO_read(end, bytes.data(), static_cast<int>(most));
    bytes.resize(count > 0 ? static_cast<size_t>(count) : 0);
    return bytes;
  }

  bool made_ = false;
  BIO* one_ = nullptr;
  BIO* other_ = nullptr;
};

TEST_F(LeanPipeTest, what_is_written_at_one_end_is_read_at_the_other) {
  ASSERT_TRUE(made_);
  EXPECT_EQ(write(one_, "there"), 5);
  EXPECT_EQ(write(other_, "back"), 4);
  EXPECT_EQ(BIO_ctrl_pending(other_), 5u);
  EXPECT_EQ(BIO_ctrl_wpending(one_), 5u);
  EXPECT_EQ(read(other_, 3), "the");
  EXPECT_EQ(write(one_, ", more"), 6);
  EXPECT_EQ(read(other_, 100), "re, more");
  EXPECT_EQ(BIO_ctrl_pending(other_), 0u);
  EXPECT_EQ(read(one_, 100), "back");
}

TEST_F(LeanPipeTest, who_finds_nothing_is_to_come_again) {
  char byte = 0;
  EXPECT_EQ(BIO_read(one_, &byte, 1), -1);
  EXPECT_TRUE(BIO_should_read(one_));
  write(other_, "x");
  EXPECT_EQ(BIO_read(one_, &byte, 1), 1);
  EXPECT_FALSE(BIO_should_retry(one_));
}

TEST_F(LeanPipeTest, takes_so_much_and_the_rest_once_there_is_room) {
  const std::string bytes(kLeanPipeBytes + 100, 'x');
  EXPECT_EQ(write(one_, bytes), static_cast<int>(kLeanPipeBytes));
  EXPECT_EQ(write(one_, "y"), -1);
  EXPECT_TRUE(BIO_should_write(one_));
  EXPECT_EQ(read(other_, 50).size(), 50u);
  EXPECT_EQ(write(one_, std::string(100, 'y')), 50);
  EXPECT_EQ(read(other_, bytes.size()), std::string(kLeanPipeBytes - 50, 'x') + std::string(50, 'y'));
}

TEST_F(LeanPipeTest, the_end_comes_behind_what_was_written) {
  write(one_, "last");
  BIO_free(one_);
  one_ = nullptr;
  EXPECT_EQ(write(other_, "nobody reads this"), -1);
  EXPECT_FALSE(BIO_should_retry(other_));
  EXPECT_FALSE(BIO_eof(other_));
  EXPECT_EQ(read(other_, 100), "last");
  EXPECT_TRUE(BIO_eof(other_));
  char byte = 0;
  EXPECT_EQ(BIO_read(other_, &byte, 1), 0);
  EXPECT_FALSE(BIO_should_retry(other_));
}

}  // namespace
}  // namespace muster
