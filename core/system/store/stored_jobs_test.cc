// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/stored_jobs.h"

#include <unistd.h>

#include <fstream>

#include "core/system/store/file_job_store.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

class StoredJobsTest : public TempFolderTest {
 protected:
  JobRecord put(FileJobStore& store, uint64_t seed) {
    const JobRecord record{job(seed), "job-" + std::to_string(seed), "queued",
                           from_unix_nanos(static_cast<int64_t>(seed))};
    EXPECT_TRUE(store.create(record).ok());
    EXPECT_TRUE(store.append(record.id, "first", false).ok());
    EXPECT_TRUE(store.append(record.id, "second", false).ok());
    return record;
  }
  const std::string root_ = folder_ + "/state";
};

TEST_F(StoredJobsTest, where_nothing_is_nothing_is_made) {
  EXPECT_TRUE(stored_jobs(root_).empty());
  EXPECT_EQ(stored_submission(root_, job(1)).status().code(), Code::not_found);
  EXPECT_NE(::access(root_.c_str(), F_OK), 0);
}

TEST_F(StoredJobsTest, are_those_of_the_index_beside_its_controller) {
  auto store = FileJobStore::open(root_);
  const JobRecord one = put(**store, 1);
  const JobRecord two = put(**store, 2);
  EXPECT_EQ(stored_jobs(root_), (std::vector<JobRecord>{one, two}));
  EXPECT_EQ(*stored_submission(root_, two.id), "first");
}

TEST_F(StoredJobsTest, SubmissionWithALongCommand_IsReadAsAWhole) {
  auto store = FileJobStore::open(root_);
  const JobRecord record{job(1), "job-1", "queued", from_unix_nanos(1)};
  const std::string line(3 << 20, 'x');
  EXPECT_TRUE((*store)->create(record).ok());
  EXPECT_TRUE((*store)->append(record.id, line, false).ok());
  EXPECT_TRUE((*store)->append(record.id, "second", false).ok());
  EXPECT_EQ(*stored_submission(root_, record.id), line);
}

TEST_F(StoredJobsTest, are_those_of_the_folders_where_the_index_cannot_tell) {
  auto store = FileJobStore::open(root_);
  const JobRecord one = put(**store, 1);
  ::unlink((root_ + "/index.complete").c_str());
  EXPECT_EQ(stored_jobs(root_), std::vector<JobRecord>{one});
  std::ofstream(root_ + "/index.complete") << "";
  std::ofstream(root_ + "/index.sqlite") << "no database";
  EXPECT_EQ(stored_jobs(root_), std::vector<JobRecord>{one});
}

TEST_F(StoredJobsTest, a_journal_is_searched_behind_its_first_line) {
  auto store = FileJobStore::open(root_);
  const JobRecord one = put(**store, 1);
  EXPECT_TRUE(stored_journal_has(root_, one.id, "second"));
  EXPECT_FALSE(stored_journal_has(root_, one.id, "first"));
  EXPECT_FALSE(stored_journal_has(root_, one.id, "third"));
  EXPECT_TRUE((*store)->append(one.id, std::string(1'000'000, 'x') + "third", false).ok());
  EXPECT_TRUE(stored_journal_has(root_, one.id, "xthird"));
  EXPECT_FALSE(stored_journal_has(root_, job(2), "second"));
}

TEST_F(StoredJobsTest, a_damaged_first_line_says_nothing) {
  auto store = FileJobStore::open(root_);
  const JobRecord one = put(**store, 1);
  std::ofstream(root_ + "/jobs/" + one.id.text() + "/journal") << "v1 00000000 first\n";
  EXPECT_EQ(stored_submission(root_, one.id).status().code(), Code::not_found);
}

}  // namespace
}  // namespace muster::store
