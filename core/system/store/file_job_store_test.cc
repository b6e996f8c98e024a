// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/file_job_store.h"
#include "core/system/posix/unique_fd.h"
#include "core/system/store/files.h"
#include "core/system/store/owner_locks.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

class FileJobStoreTest : public TempFolderTest {
 protected:
  std::unique_ptr<FileJobStore> open() {
    auto store = FileJobStore::open(root_);
    EXPECT_TRUE(store.ok()) << store.status().message();
    return store.ok() ? std::move(*store) : nullptr;
  }
  static JobRecord record(uint64_t seed, const std::string& submit_key = "") {
    return {job(seed),   "job-" + std::to_string(seed),
            "queued",    from_unix_nanos(static_cast<int64_t>(seed)),
            TimePoint(), submit_key};
  }

  const std::string root_ = folder_ + "/state";
};

TEST_F(FileJobStoreTest, keeps_a_job_over_a_restart) {
  JobRecord kept = record(1, "key");
  {
    auto store = open();
    ASSERT_TRUE(store->create(kept).ok());
    ASSERT_TRUE(store->append(kept.id, "one", false).ok());
    ASSERT_TRUE(store->append(kept.id, "two", true).ok());
    ASSERT_TRUE(store->write_private(kept.id, "environment", "A=1\0B=2").ok());
    kept.state = "running";
    ASSERT_TRUE(store->update(kept).ok());
  }
  auto store = open();
  EXPECT_EQ(store->list(), (std::vector<JobRecord>{kept}));
  EXPECT_EQ(*store->read(kept.id), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(*store->read_private(kept.id, "environment"), "A=1");
  EXPECT_EQ(mode(store->folder(kept.id)), 0700u);
  EXPECT_EQ(mode(store->folder(kept.id) + "/environment"), 0600u);
  EXPECT_EQ(mode(store->folder(kept.id) + "/journal"), 0600u);
  EXPECT_EQ(mode(root_), 0700u);
}

TEST_F(FileJobStoreTest, lists_oldest_first) {
  auto store = open();
  for (const uint64_t seed : {3, 1, 2}) ASSERT_TRUE(store->create(record(seed)).ok());
  EXPECT_EQ(store->list(), (std::vector<JobRecord>{record(1), record(2), record(3)}));
}

TEST_F(FileJobStoreTest, a_known_id_or_submit_key_is_refused_and_leaves_nothing) {
  auto store = open();
  ASSERT_TRUE(store->create(record(1, "key")).ok());
  ASSERT_TRUE(store->append(job(1), "one", false).ok());
  EXPECT_EQ(store->create(record(1)).code(), Code::already_exists);
  EXPECT_EQ(store->create(record(2, "key")).code(), Code::already_exists);
  EXPECT_EQ(store->list().size(), 1u);
  EXPECT_EQ(*store->read(job(1)), (std::vector<std::string>{"one"}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(root_ + "/jobs"), {}), 1);
}

TEST_F(FileJobStoreTest, removes_everything_of_a_job) {
  auto store = open();
  ASSERT_TRUE(store->create(record(1, "key")).ok());
  ASSERT_TRUE(store->append(job(1), "one", false).ok());
  ASSERT_TRUE(make_folders(store->folder(job(1)) + "/attempt-1/deep").ok());
  add(store->folder(job(1)) + "/attempt-1/trainer-0.out", "hello\n");
  ASSERT_TRUE(store->remove(job(1)).ok());
  EXPECT_TRUE(store->list().empty());
  EXPECT_TRUE(std::filesystem::is_empty(root_ + "/jobs"));
  EXPECT_EQ(store->remove(job(1)).code(), Code::not_found);
  EXPECT_EQ(store->append(job(1), "two", false).code(), Code::not_found);
  EXPECT_EQ(store->read(job(1)).status().code(), Code::not_found);
  EXPECT_EQ(store->update(record(1)).code(), Code::not_found);
  EXPECT_TRUE(store->create(record(2, "key")).ok());
}

TEST_F(FileJobStoreTest, a_folder_that_somebody_removed_is_named) {
  auto store = open();
  ASSERT_TRUE(store->create(record(1)).ok());
  std::filesystem::remove_all(store->folder(job(1)));
  const std::string gone = store->folder(job(1)) + " was removed, so nothing is known about the job";
  EXPECT_EQ(store->read(job(1)).status(), Status(Code::not_found, gone));
}

TEST_F(FileJobStoreTest, private_files_have_harmless_names) {
  auto store = open();
  ASSERT_TRUE(store->create(record(1)).ok());
  for (const char* name : {"journal", "record", "journal.cut", "../x", "attempt-1", ".new", ""}) {
    EXPECT_EQ(store->write_private(job(1), name, "x").code(), Code::invalid_argument) << name;
    EXPECT_EQ(store->read_private(job(1), name).status().code(), Code::invalid_argument) << name;
  }
  EXPECT_EQ(store->write_private(job(2), "environment", "x").code(), Code::not_found);
  EXPECT_EQ(store->read_private(job(1), "environment").status().code(), Code::not_found);
}

TEST_F(FileJobStoreTest, an_ended_job_holds_no_descriptor) {
  const auto open_files = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  auto store = open();
  const auto before = open_files();
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ASSERT_TRUE(store->create(record(seed)).ok());
    ASSERT_TRUE(store->append(job(seed), "one", false).ok());
    store->disown(job(seed));
  }
  EXPECT_LE(open_files(), before + 2);  // the index may open descriptors
  EXPECT_TRUE(store->append(job(1), "two", false).ok());
}

TEST_F(FileJobStoreTest, more_jobs_than_open_journals) {
  auto store = open();
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    ASSERT_TRUE(store->create(record(seed)).ok());
    ASSERT_TRUE(store->append(job(seed), "one", false).ok());
    store->disown(job(seed));
  }
  for (uint64_t seed = 1; seed <= 200; ++seed) ASSERT_TRUE(store->append(job(seed), "two", false).ok());
  for (uint64_t seed = 1; seed <= 200; ++seed) EXPECT_EQ(store->read(job(seed))->size(), 2u);
  EXPECT_LT(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}), 100);
}

TEST_F(FileJobStoreTest, a_lost_or_damaged_index_is_found_again) {
  {
    auto store = open();
    ASSERT_TRUE(store->create(record(1)).ok());
    ASSERT_TRUE(store->create(record(2)).ok());
  }
  std::filesystem::remove(root_ + "/index.sqlite");
  EXPECT_EQ(open()->list().size(), 2u);
  std::filesystem::resize_file(root_ + "/index.sqlite", 5000);
  EXPECT_EQ(open()->list().size(), 2u);
  std::ofstream(root_ + "/index.sqlite") << std::string(8192, 'x');
  EXPECT_EQ(open()->list(), (std::vector<JobRecord>{record(1), record(2)}));
}

TEST_F(FileJobStoreTest, List_IndexDeletedUnderTwoProcesses_BothKnowAllJobs) {
  auto mine = open();
  ASSERT_TRUE(mine->create(record(1)).ok());
  std::filesystem::remove(root_ + "/index.sqlite");
  auto theirs = open();
  ASSERT_TRUE(theirs->create(record(2)).ok());
  EXPECT_EQ(mine->list(), (std::vector<JobRecord>{record(1), record(2)}));
  ASSERT_TRUE(mine->create(record(3)).ok());
  EXPECT_EQ(theirs->list(), (std::vector<JobRecord>{record(1), record(2), record(3)}));
}

TEST_F(FileJobStoreTest, a_job_made_just_before_a_crash_is_found) {
  {
    auto store = open();
    ASSERT_TRUE(store->create(record(1)).ok());
  }
  std::filesystem::create_directory(root_ + "/jobs/" + job(2).text());
  std::filesystem::copy_file(root_ + "/jobs/" + job(1).text() + "/record", folder_ + "/other");
  {
    auto other = FileJobStore::open(folder_ + "/elsewhere");
    ASSERT_TRUE((*other)->create(record(2)).ok());
  }
  std::filesystem::copy_file(folder_ + "/elsewhere/jobs/" + job(2).text() + "/record",
                             root_ + "/jobs/" + job(2).text() + "/record");
  EXPECT_EQ(open()->list(), (std::vector<JobRecord>{record(1), record(2)}));
}

TEST_F(FileJobStoreTest, works_without_an_index) {
  std::filesystem::create_directories(root_ + "/index.sqlite/in-the-way");
  auto store = open();
  ASSERT_TRUE(store->create(record(2, "key")).ok());
  ASSERT_TRUE(store->create(record(1)).ok());
  EXPECT_EQ(store->create(record(3, "key")).code(), Code::already_exists);
  EXPECT_EQ(store->list(), (std::vector<JobRecord>{record(1), record(2, "key")}));
  ASSERT_TRUE(store->remove(job(2)).ok());
  EXPECT_EQ(store->list().size(), 1u);
}

TEST_F(FileJobStoreTest, an_index_that_was_locked_catches_up) {
  auto store = open();
  ASSERT_TRUE(store->create(record(1)).ok());
  std::optional<UniqueFd> other(::open((root_ + "/index.sqlite").c_str(), O_RDWR | O_CLOEXEC));
  // Locks the same bytes as SQLite in another process would (sqlite.org/lockingv3.html).
  struct flock all {
    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0x40000000, .l_len = 512, .l_pid = 0
  };
  ASSERT_EQ(::fcntl(other->get(), F_OFD_SETLK, &all), 0);
  JobRecord changed = record(1);
  changed.state = "running";
  ASSERT_TRUE(store->update(changed).ok());
  EXPECT_FALSE(std::filesystem::exists(root_ + "/index.complete"));
  EXPECT_EQ(store->list(), (std::vector<JobRecord>{changed}));
  other.reset();
  EXPECT_EQ(store->list(), (std::vector<JobRecord>{changed}));
  EXPECT_TRUE(std::filesystem::exists(root_ + "/index.complete"));
}

TEST_F(FileJobStoreTest, what_dead_processes_left_half_made_goes) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const std::string dead = root_ + "/jobs/.new-" + std::to_string(child) + "-" + job(1).text();
  const std::string alive = root_ + "/jobs/.new-" + std::to_string(getppid()) + "-" + job(2).text();
  ASSERT_TRUE(make_folders(dead).ok());
  ASSERT_TRUE(make_folders(alive).ok());
  EXPECT_TRUE(open()->list().empty());
  EXPECT_FALSE(std::filesystem::exists(dead));
  EXPECT_TRUE(std::filesystem::exists(alive));
}

// As with a process in another pid namespace, whose pid does not exist in this one.
TEST_F(FileJobStoreTest, Open_FolderOfAnUnknownPidIsLocked_IsKept) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  const std::string made = root_ + "/jobs/.new-" + std::to_string(child) + "-" + job(1).text();
  ASSERT_TRUE(make_folders(made).ok());
  {
    const UniqueFd lock(::open(made.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ASSERT_EQ(::flock(lock.get(), LOCK_EX | LOCK_NB), 0);
    open();
    EXPECT_TRUE(std::filesystem::exists(made));
  }
  open();
  EXPECT_FALSE(std::filesystem::exists(made));
}

TEST_F(FileJobStoreTest, Own_OwnerFileWasDeleted_TheHostKeepsTheJob) {
  auto host = open();
  ASSERT_TRUE(host->create(record(1)).ok());
  auto other = open();
  std::filesystem::remove(host->folder(job(1)) + "/owner");
  EXPECT_FALSE(other->own(job(1)));
  EXPECT_TRUE(host->renew_ownership());
  EXPECT_FALSE(other->own(job(1)));
  host.reset();
  EXPECT_TRUE(other->own(job(1)));
}

TEST_F(FileJobStoreTest, Own_OwnerFileWasDeletedAndTheHostIsGone_IsTakenLater) {
  ASSERT_TRUE(open()->create(record(1)).ok());
  auto next = open();
  const std::string owner = next->folder(job(1)) + "/owner";
  std::filesystem::remove(owner);
  EXPECT_FALSE(next->own(job(1)));
  std::filesystem::last_write_time(owner, std::filesystem::file_time_type::clock::now() - 2 * kDispute);
  EXPECT_TRUE(next->own(job(1)));
}

TEST_F(FileJobStoreTest, RenewOwnership_AnotherHasTakenTheJob_IsFalse) {
  auto host = open();
  ASSERT_TRUE(host->create(record(1)).ok());
  const std::string owner = host->folder(job(1)) + "/owner";
  std::filesystem::remove(owner);
  auto other = open();
  EXPECT_FALSE(other->own(job(1)));
  std::filesystem::last_write_time(owner, std::filesystem::file_time_type::clock::now() - 2 * kDispute);
  ASSERT_TRUE(other->own(job(1)));
  EXPECT_FALSE(host->renew_ownership());
}

TEST_F(FileJobStoreTest, what_a_killed_host_left_half_written_goes_with_the_next_host) {
  ASSERT_TRUE(open()->create(record(1)).ok());
  auto next = open();
  const std::string left = next->folder(job(1)) + "/.record.new";
  std::ofstream(left) << "half a rec";
  ASSERT_TRUE(next->own(job(1)));
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_EQ(next->list(), (std::vector<JobRecord>{record(1)}));
}

TEST_F(FileJobStoreTest, a_full_disk_fails_the_append_and_nothing_else) {
  bool full = false;
  auto opened = FileJobStore::open(
      root_, [&full](int fd, const void* bytes, size_t count) { return ::write(fd, bytes, full ? count / 2 : count); });
  ASSERT_TRUE(opened.ok());
  FileJobStore& store = **opened;
  ASSERT_TRUE(store.create(record(1)).ok());
  ASSERT_TRUE(store.append(job(1), "one", true).ok());
  full = true;
  const Status refused = store.append(job(1), "two", true);
  EXPECT_EQ(refused.code(), Code::resource_exhausted);
  EXPECT_NE(refused.message().find(" free of "), std::string::npos) << refused.message();
  full = false;
  ASSERT_TRUE(store.append(job(1), "three", true).ok());
  EXPECT_EQ(*store.read(job(1)), (std::vector<std::string>{"one", "three"}));
}

TEST_F(FileJobStoreTest, a_killed_writer_leaves_whole_lines) {
  { ASSERT_TRUE(open()->create(record(1)).ok()); }
  const pid_t child = fork();
  if (child == 0) {
    auto store = open();
    for (int i = 0;; ++i) (void)store->append(job(1), "line " + std::to_string(i), false);
  }
  while (open()->read(job(1))->size() < 1000) sched_yield();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  auto store = open();
  const size_t before = store->read(job(1))->size();
  ASSERT_TRUE(store->append(job(1), "after", true).ok());
  const std::vector<std::string> lines = *store->read(job(1));
  ASSERT_EQ(lines.size(), before + 1);
  for (size_t i = 0; i < before; ++i) ASSERT_EQ(lines[i], "line " + std::to_string(i));
  EXPECT_EQ(lines.back(), "after");
}

}  // namespace
}  // namespace muster::store
