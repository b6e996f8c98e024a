// SPDX-License-Identifier: Apache-2.0
#include "core/system/store/output/file_output_files.h"

#include "core/system/asio/asio_loop.h"
#include "core/system/store/output/file_output_keeper.h"
#include "core/system/store/temp_folder_test.h"

namespace muster::store {
namespace {

class FileOutputFilesTest : public TempFolderTest {
 protected:
  std::string path(const std::string& rank_file, OutputStream stream = OutputStream::out) {
    const auto path = files_.path(job(1), 1, rank_file, stream);
    EXPECT_TRUE(path.ok()) << path.status().message();
    return path.ok() ? *path : "";
  }
  // Runs the loop until `done`, at most for a minute.
  void run_until(const std::function<bool()>& done) {
    bool late = false;
    const TimerId timer = loop_.at(loop_.now() + std::chrono::seconds(60), [&late] { late = true; });
    while (!done() && !late) loop_.run_one();
    loop_.cancel(timer);
    EXPECT_TRUE(done());
  }
  void run_for(Duration duration) {
    bool over = false;
    loop_.at(loop_.now() + duration, [&over] { over = true; });
    while (!over) loop_.run_one();
  }

  AsioLoop loop_;
  FileOutputFiles files_{folder_, loop_};
  FileOutputKeeper keeper_;
};

TEST_F(FileOutputFilesTest, lays_files_out_by_attempt) {
  EXPECT_EQ(path("trainer-0"), folder_ + "/jobs/" + job(1).text() + "/attempt-1/trainer-0.out");
  EXPECT_EQ(path("trainer-0", OutputStream::err), folder_ + "/jobs/" + job(1).text() + "/attempt-1/trainer-0.err");
  EXPECT_EQ(mode(folder_ + "/jobs/" + job(1).text() + "/attempt-1"), 0700u);
  EXPECT_EQ(files_.path(job(1), 1, "../x", OutputStream::out).status().code(), Code::invalid_argument);
}

TEST_F(FileOutputFilesTest, reads_what_is_there) {
  const std::string file = path("trainer-0");
  EXPECT_EQ(*files_.read(file, 0, 100), "");
  EXPECT_EQ(files_.size(file), 0u);
  add(file, "hello world");
  EXPECT_EQ(files_.size(file), 11u);
  EXPECT_EQ(*files_.read(file, 6, 3), "wor");
  EXPECT_EQ(*files_.read(file, 6, 100), "world");
  EXPECT_EQ(*files_.read(file, 11, 100), "");
  EXPECT_EQ(*files_.read(file, 500, 100), "");
}

TEST_F(FileOutputFilesTest, a_keeper_measures_what_has_the_name_now) {
  const std::string file = path("trainer-0");
  EXPECT_EQ(keeper_.size(file), 0u);
  add(file, "hello");
  EXPECT_EQ(keeper_.size(file), 5u);
  EXPECT_EQ(keeper_.size(path("trainer-1")), 0u);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  std::filesystem::remove_all(folder);
  EXPECT_EQ(keeper_.size(file), 0u);
  std::filesystem::create_directories(folder);
  add(file, "anew");
  EXPECT_EQ(keeper_.size(file), 4u);
  EXPECT_EQ(keeper_.size("no-folder"), 0u);
}

TEST_F(FileOutputFilesTest, tells_of_growth_and_of_new_files) {
  const std::string file = path("trainer-0");
  int calls = 0;
  const auto watch = files_.watch(job(1), 1, [&calls](const auto&) { ++calls; });
  add(file, "a");
  run_until([&] { return calls > 0; });
  run_for(std::chrono::milliseconds(20));
  const int before = calls;
  add(file, "b");
  run_until([&] { return calls > before; });
}

TEST_F(FileOutputFilesTest, tells_which_files_grew) {
  const std::string one = path("trainer-0");
  const std::string other = path("trainer-1");
  std::set<std::string> grown;
  const auto watch =
      files_.watch(job(1), 1, [&](const std::vector<std::string>& paths) { grown.insert(paths.begin(), paths.end()); });
  add(one, "a");
  run_until([&] { return !grown.empty(); });
  run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(grown, std::set<std::string>{one});
  add(other, "b");
  run_until([&] { return grown.count(other) > 0; });
}

TEST_F(FileOutputFilesTest, a_flood_is_few_calls_and_its_end_is_not_missed) {
  const std::string file = path("trainer-0");
  uint64_t seen = 0;
  int calls = 0;
  const auto watch = files_.watch(job(1), 1, [&](const auto&) {
    ++calls;
    seen = files_.size(file);
  });
  for (int i = 0; i < 2000; ++i) {
    add(file, "x");
    if (i % 100 == 0) loop_.post([] {}), loop_.run_one();
  }
  run_until([&] { return seen == 2000; });
  EXPECT_LT(calls, 200);
}

TEST_F(FileOutputFilesTest, times_of_files_are_no_growth_of_output) {
  int calls = 0;
  const auto watch = files_.watch(job(1), 1, [&calls](const auto&) { ++calls; });
  add(folder_ + "/jobs/" + job(1).text() + "/attempt-1/trainer-0.times", "x");
  run_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 0);
}

TEST_F(FileOutputFilesTest, watches_are_independent_and_end_with_their_object) {
  int first = 0;
  int second = 0;
  int other_attempt = 0;
  std::unique_ptr<OutputWatch> one = files_.watch(job(1), 1, [&](const auto&) {
    ++first;
    one.reset();
  });
  const auto two = files_.watch(job(1), 1, [&](const auto&) { ++second; });
  const auto three = files_.watch(job(1), 2, [&](const auto&) { ++other_attempt; });
  const std::string file = path("trainer-0");
  add(file, "a");
  run_until([&] { return first == 1 && second > 0; });
  run_for(std::chrono::milliseconds(20));
  const int before = second;
  add(file, "b");
  run_until([&] { return second > before; });
  EXPECT_EQ(first, 1);
  EXPECT_EQ(other_attempt, 0);
}

TEST_F(FileOutputFilesTest, catching_up_tells_before_it_returns_what_grew) {
  std::vector<std::vector<std::string>> told;
  const auto watch = files_.watch(job(1), 1, [&](const std::vector<std::string>& paths) { told.push_back(paths); });
  const std::string file = path("trainer-0");
  add(file, "a");
  watch->catch_up();
  EXPECT_EQ(told, (std::vector<std::vector<std::string>>{{file}}));
  watch->catch_up();
  EXPECT_EQ(told.size(), 1u);
}

TEST_F(FileOutputFilesTest, Watch_TwoFilesInTurn_NamesThemInTheOrderOfTheWrites) {
  const std::string out = path("trainer-0");
  const std::string err = path("trainer-0", OutputStream::err);
  std::vector<std::string> told;
  std::vector<std::string> counted;
  for (const std::string& file : {out, err}) ASSERT_TRUE(keeper_.append(file, "").ok());
  const auto watch =
      files_.watch(job(1), 1, [&](const auto& paths) { told.insert(told.end(), paths.begin(), paths.end()); });
  const auto writes = files_.watch_writes(
      {out, err}, [&](const auto& paths) { counted.insert(counted.end(), paths.begin(), paths.end()); });
  for (const std::string& file : {err, out, out, err}) add(file, "x");
  watch->catch_up();
  EXPECT_EQ(told, (std::vector<std::string>{err, out, err}));
  EXPECT_EQ(counted, (std::vector<std::string>{err, out, out, err}));
}

TEST_F(FileOutputFilesTest, a_watch_may_outlive_the_files) {
  auto files = std::make_unique<FileOutputFiles>(folder_, loop_);
  auto watch = files->watch(job(1), 1, [](const auto&) {});
  files.reset();
  watch.reset();
}

TEST_F(FileOutputFilesTest, drops_the_oldest_bytes_and_knows_where_the_rest_begins) {
  const std::string file = path("trainer-0");
  EXPECT_EQ(files_.first_kept(file), 0u);
  add(file, std::string(1 << 20, 'x'));
  EXPECT_EQ(files_.first_kept(file), 0u);
  const Result<uint64_t> kept = keeper_.drop_before(file, 700'000);
  ASSERT_TRUE(kept.ok()) << kept.status().message();
  EXPECT_GT(*kept, 690'000u);
  EXPECT_LE(*kept, 700'000u);
  EXPECT_EQ(files_.first_kept(file), *kept);
  EXPECT_EQ(files_.size(file), 1u << 20);
  EXPECT_EQ(files_.read(file, *kept, 10).value(), "xxxxxxxxxx");
  struct stat about {};
  ASSERT_EQ(stat(file.c_str(), &about), 0);
  EXPECT_LT(about.st_blocks * 512, 400'000);
  ASSERT_TRUE(keeper_.drop_before(file, 1 << 20).ok());
  EXPECT_EQ(files_.first_kept(file), 1u << 20);
  add(file, "tail");
  EXPECT_EQ(files_.first_kept(file), 1u << 20);
  EXPECT_EQ(*files_.read(file, 1 << 20, 10), "tail");
}

TEST_F(FileOutputFilesTest, the_keeper_appends_and_measures) {
  const std::string file = folder_ + "/trainer-0.times";
  EXPECT_EQ(keeper_.size(file), 0u);
  ASSERT_TRUE(keeper_.append(file, "abc").ok());
  ASSERT_TRUE(keeper_.append(file, "def").ok());
  EXPECT_EQ(content(file), "abcdef");
  EXPECT_EQ(mode(file), 0600u);
  EXPECT_EQ(keeper_.append("/dev/full", "x").code(), Code::resource_exhausted);
  EXPECT_EQ(keeper_.drop_before(folder_ + "/none", 1).status().code(), Code::not_found);
}

TEST_F(FileOutputFilesTest, a_copy_begins_where_the_host_still_has_its_bytes) {
  const std::string file = path("trainer-0");
  add(file, std::string(100'000, 'x'));
  ASSERT_TRUE(keeper_.begin_at(file, 8 << 20).ok());
  EXPECT_EQ(files_.size(file), 8u << 20);
  EXPECT_EQ(files_.first_kept(file), 8u << 20);
  ASSERT_TRUE(keeper_.append(file, "kept\n").ok());
  EXPECT_EQ(*files_.read(file, 8 << 20, 10), "kept\n");
  struct stat about {};
  ASSERT_EQ(stat(file.c_str(), &about), 0);
  EXPECT_LT(about.st_blocks * 512, 100'000);
}

TEST_F(FileOutputFilesTest, a_ranks_files_go_by_its_name_and_the_folders_with_the_last) {
  for (const char* rank : {"trainer-1", "trainer-10"}) {
    add(path(rank), "out");
    add(path(rank, OutputStream::err), "err");
  }
  const std::string attempt = folder_ + "/jobs/" + job(1).text() + "/attempt-1";
  add(attempt + "/trainer-1.error.json", "{}");
  keeper_.remove_rank(path("trainer-1"));
  EXPECT_EQ(files_.size(attempt + "/trainer-1.out") + files_.size(attempt + "/trainer-1.error.json"), 0u);
  EXPECT_EQ(content(attempt + "/trainer-10.err"), "err");
  keeper_.remove_rank(path("trainer-10", OutputStream::err));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/jobs/" + job(1).text()));
  keeper_.remove_rank(attempt + "/trainer-10.out");
}

}  // namespace
}  // namespace muster::store
