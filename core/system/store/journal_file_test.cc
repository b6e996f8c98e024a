// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/journal_file.h"

#include <unistd.h>

#include "core/system/store/checked_line.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

class JournalFileTest : public TempFolderTest {
 protected:
  JournalFile open() {
    Result<JournalFile> file = JournalFile::open(folder_, [this](int fd, const void* bytes, size_t count) {
      ++writes_;
      return disk_(fd, bytes, count);
    });
    EXPECT_TRUE(file.ok()) << file.status().message();
    return std::move(*file);
  }
  std::vector<std::string> lines() { return parse_journal(content(path_)).lines; }

  const std::string path_ = folder_ + "/journal";
  WriteCall disk_ = ::write;
  int writes_ = 0;
};

TEST_F(JournalFileTest, one_write_per_line) {
  JournalFile file = open();
  ASSERT_TRUE(file.append("one", false).ok());
  ASSERT_TRUE(file.append("two", true).ok());
  ASSERT_TRUE(file.append("", true).ok());
  EXPECT_EQ(writes_, 3);
  EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two", ""}));
  EXPECT_EQ(mode(path_), 0600u);
}

TEST_F(JournalFileTest, goes_on_after_any_torn_tail) {
  const std::string whole = checked_line("one") + "\n";
  const std::string next = checked_line("lost") + "\n";
  for (size_t cut = 0; cut < next.size(); ++cut) {
    std::filesystem::remove(path_);
    add(path_, whole + next.substr(0, cut));
    ASSERT_TRUE(open().append("two", false).ok());
    EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two"})) << cut;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/journal.cut"));
}

TEST_F(JournalFileTest, damage_is_cut_off_and_kept_beside) {
  const std::string damage = "v1 00000000 wrong\n" + checked_line("unreadable behind it") + "\n";
  add(path_, checked_line("one") + "\n" + damage);
  ASSERT_TRUE(open().append("two", false).ok());
  EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(content(folder_ + "/journal.cut"), damage);
}

TEST_F(JournalFileTest, what_a_newer_muster_wrote_is_left_alone) {
  const std::string text = checked_line("one") + "\nv2 {}\n";
  add(path_, text);
  const auto file = JournalFile::open(folder_, ::write);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.status().code(), Code::failed_precondition);
  EXPECT_EQ(content(path_), text);
}

TEST_F(JournalFileTest, a_disk_that_fills_within_a_line_leaves_none_of_it) {
  JournalFile file = open();
  ASSERT_TRUE(file.append("one", false).ok());
  disk_ = [](int fd, const void* bytes, size_t) { return ::write(fd, bytes, 7); };
  const Status full = file.append("two", true);
  EXPECT_EQ(full.code(), Code::resource_exhausted);
  EXPECT_NE(full.message().find(folder_), std::string::npos) << full.message();
  EXPECT_EQ(content(path_), checked_line("one") + "\n");
  disk_ = ::write;
  ASSERT_TRUE(file.append("two", true).ok());
  EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two"}));
}

TEST_F(JournalFileTest, Append_AnyLine_LeavesNoBlocksWithinTheFile) {
  JournalFile file = open();
  ASSERT_TRUE(file.append("one", false).ok());
  ASSERT_TRUE(file.append_last("two", true).ok());
  EXPECT_EQ(lines(), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(std::filesystem::file_size(path_), content(path_).size()) << "the reserve is behind the end";
}

TEST_F(JournalFileTest, an_interrupted_write_is_repeated) {
  JournalFile file = open();
  disk_ = [this](int fd, const void* bytes, size_t count) -> ssize_t {
    if (writes_ > 1) return ::write(fd, bytes, count);
    errno = EINTR;
    return -1;
  };
  ASSERT_TRUE(file.append("one", false).ok());
  EXPECT_EQ(lines(), (std::vector<std::string>{"one"}));
}

TEST_F(JournalFileTest, a_line_is_one_line_of_bounded_length) {
  JournalFile file = open();
  EXPECT_EQ(file.append("a\nb", false).code(), Code::invalid_argument);
  EXPECT_EQ(file.append(std::string(JournalStore::kLongestLine + 1, 'x'), false).code(), Code::invalid_argument);
  EXPECT_EQ(JournalFile::open(folder_ + "/none", ::write).status().code(), Code::not_found);
}

}  // namespace
}  // namespace muster::store
