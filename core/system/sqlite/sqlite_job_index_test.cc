// SPDX-License-Identifier: Apache-2.0
#include "core/system/sqlite/sqlite_job_index.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace muster {
namespace {

JobRecord record(uint64_t seed, const std::string& name, const std::string& submit_key = "") {
  Random random(seed);
  return {JobId::make(random), name, "running", from_unix_nanos(static_cast<int64_t>(seed)), TimePoint(), submit_key};
}

class SqliteJobIndexTest : public testing::Test {
 protected:
  SqliteJobIndexTest() {
    char name[] = "/tmp/muster-index-XXXXXX";
    folder_ = mkdtemp(name);
    path_ = folder_ + "/index.sqlite";
  }
  ~SqliteJobIndexTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<SqliteJobIndex> open(const std::vector<JobRecord>& records = {}) {
    auto index = SqliteJobIndex::open(path_);
    EXPECT_TRUE(index.ok()) << index.status().message();
    if (!index.ok()) return nullptr;
    if ((*index)->stale()) {
      EXPECT_TRUE((*index)->rebuild([&] { return records; }).ok());
    }
    return std::move(*index);
  }

  std::string folder_;
  std::string path_;
};

TEST_F(SqliteJobIndexTest, keeps_records_oldest_first) {
  const JobRecord older = record(1, "older");
  JobRecord newer = record(2, "newer", "key");
  {
    auto index = open();
    ASSERT_TRUE(index->insert(newer).ok());
    ASSERT_TRUE(index->insert(older).ok());
    newer.state = "succeeded";
    newer.ended = from_unix_nanos(7);
    ASSERT_TRUE(index->update(newer).ok());
  }
  auto again = SqliteJobIndex::open(path_);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE((*again)->stale());
  EXPECT_EQ(*(*again)->list(), (std::vector<JobRecord>{older, newer}));
  ASSERT_TRUE((*again)->erase(older.id).ok());
  EXPECT_EQ(*(*again)->list(), (std::vector<JobRecord>{newer}));
  struct stat about {};
  ASSERT_EQ(stat(path_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

TEST_F(SqliteJobIndexTest, Insert_KnownSubmitKey_IsRefused) {
  auto index = open();
  ASSERT_TRUE(index->insert(record(1, "first", "key")).ok());
  const Status refused = index->insert(record(2, "second", "key"));
  EXPECT_EQ(refused.code(), Code::already_exists);
  EXPECT_NE(refused.message().find("made job first"), std::string::npos) << refused.message();
  EXPECT_TRUE(index->insert(record(3, "third")).ok());
  EXPECT_TRUE(index->insert(record(4, "fourth")).ok());
  EXPECT_EQ(index->list()->size(), 3u);
  EXPECT_EQ(index->update(record(9, "unknown")).code(), Code::not_found);
}

TEST_F(SqliteJobIndexTest, Insert_AfterAnotherProcessFoundTheJob_Succeeds) {
  auto mine = open();
  auto theirs = open();
  const auto found = [] { return std::vector<JobRecord>{record(1, "first", "key")}; };
  ASSERT_TRUE(theirs->rebuild(found).ok());
  EXPECT_TRUE(mine->insert(record(1, "first", "key")).ok());
  EXPECT_EQ(mine->list()->size(), 1u);
}

TEST_F(SqliteJobIndexTest, Rebuild_WhileRecordsAreRead_NobodyElseCanChangeIt) {
  auto mine = open();
  auto theirs = open();
  Status changed;
  const auto read = [&] {
    changed = theirs->insert(record(1, "first"));
    return std::vector<JobRecord>();
  };
  ASSERT_TRUE(mine->rebuild(read).ok());
  EXPECT_EQ(changed.code(), Code::unavailable);
}

TEST_F(SqliteJobIndexTest, a_damaged_file_is_replaced_and_stale) {
  std::ofstream(path_) << std::string(100'000, 'x');
  auto index = SqliteJobIndex::open(path_);
  ASSERT_TRUE(index.ok()) << index.status().message();
  EXPECT_TRUE((*index)->stale());
  ASSERT_TRUE((*index)->rebuild([] { return std::vector<JobRecord>{record(1, "a")}; }).ok());
  EXPECT_EQ((*index)->list()->size(), 1u);
}

TEST_F(SqliteJobIndexTest, damage_in_the_middle_is_seen_at_open) {
  {
    auto index = open();
    for (uint64_t i = 1; i < 2000; ++i) ASSERT_TRUE(index->insert(record(i, "job", std::to_string(i))).ok());
  }
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(3 * 4096);
    file << std::string(8192, '\xee');
  }
  auto index = SqliteJobIndex::open(path_);
  ASSERT_TRUE(index.ok()) << index.status().message();
  EXPECT_TRUE((*index)->stale());
}

TEST_F(SqliteJobIndexTest, another_version_is_stale) {
  { auto index = open({record(1, "a")}); }
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, "PRAGMA user_version=99; ALTER TABLE jobs ADD COLUMN x", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(database);
  auto index = SqliteJobIndex::open(path_);
  ASSERT_TRUE(index.ok());
  EXPECT_TRUE((*index)->stale());
  ASSERT_TRUE((*index)->rebuild([] { return std::vector<JobRecord>{record(2, "b")}; }).ok());
  EXPECT_EQ(index->get()->list()->front().name, "b");
}

TEST_F(SqliteJobIndexTest, two_processes_may_hold_it) {
  auto one = open();
  auto two = open();
  ASSERT_TRUE(one->insert(record(1, "one")).ok());
  ASSERT_TRUE(two->insert(record(2, "two")).ok());
  EXPECT_EQ(one->list()->size(), 2u);
}

TEST_F(SqliteJobIndexTest, a_holder_that_does_not_let_go_is_a_sentence) {
  auto index = open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Status busy = index->insert(record(1, "one"));
  EXPECT_EQ(busy.code(), Code::unavailable) << busy.message();
  EXPECT_NE(busy.message().find("locked"), std::string::npos) << busy.message();
  sqlite3_close(other);
  EXPECT_TRUE(index->insert(record(1, "one")).ok());
}

TEST_F(SqliteJobIndexTest, a_folder_that_is_not_there_is_a_sentence) {
  const auto index = SqliteJobIndex::open(folder_ + "/none/index.sqlite");
  ASSERT_FALSE(index.ok());
  EXPECT_EQ(index.status().code(), Code::not_found);
}

}  // namespace
}  // namespace muster
