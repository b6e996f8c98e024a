// SPDX-License-Identifier: Apache-2.0
#include "core/output/output_uploader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/output/fake_output_test.h"
#include "core/output/output_mirror.h"

namespace muster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

const OutputFile kOut{1, 3, OutputStream::out};
const OutputFile kErr{1, 3, OutputStream::err};

// Sent messages stay in flight until a test delivers them.
class OutputUploaderTest : public testing::Test {
 protected:
  OutputUploaderTest() {
    uploader_.add(kOut, "1/r.out");
    uploader_.add(kErr, "1/r.err");
    uploader_.connect(true);
  }

  void print(const std::string& path, const std::string& bytes) {
    host_.files[path].bytes += bytes;
    uploader_.grew({path});
    uploader_.pump();
  }
  // Delivers all messages and their answers until none is in flight.
  void deliver() {
    while (!sent_.empty()) {
      const OutputBytes bytes = sent_.front();
      sent_.pop_front();
      const OutputMirror::Heard heard = hear(bytes);
      if (heard.answer && uploader_.taken(*heard.answer)) uploader_.pump();
    }
  }
  OutputMirror::Heard hear(const OutputBytes& bytes) {
    const std::string rank = std::to_string(bytes.file.attempt) + "/r";
    if (!mirror_->knows(bytes.file)) mirror_->add(bytes.file, {rank + ".out", rank + ".err"});
    return mirror_->heard(bytes);
  }
  std::string here(const std::string& path) { return here_.files[path].bytes; }

  FakeOutput host_;
  FakeOutput here_;
  std::deque<OutputBytes> sent_;
  OutputUploader uploader_{host_, [this](const OutputBytes& bytes) { sent_.push_back(bytes); }};
  std::optional<OutputMirror> mirror_{std::in_place, here_, 1000};
};

TEST_F(OutputUploaderTest, sends_what_grows_and_nothing_twice) {
  print("1/r.out", "one\n");
  print("1/r.out", "two\n");
  print("1/r.err", "oh\n");
  EXPECT_THAT(sent_, SizeIs(3));
  EXPECT_EQ(uploader_.left().bytes, 11u);
  EXPECT_EQ(uploader_.left().oldest, 1u);
  deliver();
  EXPECT_EQ(here("1/r.out"), "one\ntwo\n");
  EXPECT_EQ(here("1/r.err"), "oh\n");
  EXPECT_EQ(uploader_.left().bytes, 0u);
  EXPECT_EQ(uploader_.left().oldest, 0u);
}

TEST_F(OutputUploaderTest, a_flood_fills_the_window_and_no_more_and_starves_nobody) {
  host_.files["1/r.err"].bytes = "oh\n";
  print("1/r.out", std::string(5 << 20, 'x'));
  uploader_.grew();
  uploader_.pump();
  uint64_t under_way = 0;
  for (const OutputBytes& bytes : sent_) under_way += bytes.bytes.size();
  EXPECT_LE(under_way, kOutputWindow);
  EXPECT_GT(under_way, kOutputWindow - 2 * kOutputFrame);
  deliver();
  EXPECT_EQ(here("1/r.err"), "oh\n");
  EXPECT_EQ(here("1/r.out").size(), 5u << 20);
}

TEST_F(OutputUploaderTest, a_new_link_goes_on_where_the_files_here_end) {
  print("1/r.out", std::string(300'000, 'a'));
  hear(sent_.front());  // the answer is lost with the link
  sent_.clear();
  uploader_.connect(false);
  print("1/r.out", "b");
  EXPECT_THAT(sent_, IsEmpty());
  uploader_.connect(true);
  uploader_.pump();
  deliver();
  EXPECT_EQ(here("1/r.out"), std::string(300'000, 'a') + "b");
}

TEST_F(OutputUploaderTest, who_comes_anew_and_has_nothing_gets_all_though_no_more_is_printed) {
  print("1/r.out", "one\n");
  deliver();
  EXPECT_EQ(uploader_.left().bytes, 0u);
  uploader_.connect(false);
  mirror_.emplace(here_, 1000);
  here_.files.clear();
  uploader_.connect(true);
  EXPECT_GT(uploader_.left().bytes, 0u) << "the new receiver has not acknowledged it";
  uploader_.pump();
  deliver();
  EXPECT_EQ(here("1/r.out"), "one\n");
  EXPECT_EQ(uploader_.left().bytes, 0u);
}

TEST_F(OutputUploaderTest, a_disk_that_forgot_is_given_it_once_more) {
  print("1/r.out", std::string(200'000, 'a'));
  deliver();
  here_.files["1/r.out"].bytes.resize(70'000);
  mirror_.emplace(here_, 1000);
  uploader_.connect(true);
  print("1/r.out", "b");
  deliver();
  EXPECT_EQ(here("1/r.out"), std::string(200'000, 'a') + "b");
}

// A lost request must be repeated: otherwise the window would stay full for ever.
TEST_F(OutputUploaderTest, what_was_asked_for_again_behind_a_lost_link_is_asked_for_anew) {
  print("1/r.out", std::string(200'000, 'a'));
  deliver();
  here_.files["1/r.out"].bytes.resize(70'000);
  mirror_.emplace(here_, 1000);
  print("1/r.out", "b");
  ASSERT_TRUE(hear(sent_.front()).answer->again);  // it does not arrive
  sent_.clear();
  mirror_->linked([](const OutputFile& file) { return file.index == kOut.index; });
  uploader_.connect(true);
  uploader_.pump();
  deliver();
  EXPECT_EQ(here("1/r.out"), std::string(200'000, 'a') + "b");
}

TEST_F(OutputUploaderTest, a_full_disk_is_said_once_and_nothing_is_lost) {
  here_.full = true;
  print("1/r.out", std::string(300'000, 'a'));
  std::vector<std::string> troubles;
  for (const OutputBytes& bytes : sent_) {
    const OutputMirror::Heard heard = hear(bytes);
    EXPECT_FALSE(heard.answer);
    if (!heard.trouble.empty()) troubles.push_back(heard.trouble);
  }
  sent_.clear();
  EXPECT_THAT(troubles, ElementsAre(testing::HasSubstr("the disk is full")));
  const OutputMirror::Beat beat = mirror_->beat(TimePoint());
  ASSERT_THAT(beat.again, SizeIs(1));
  EXPECT_TRUE(uploader_.taken(beat.again[0]));
  uploader_.pump();
  EXPECT_THAT(sent_, SizeIs(1));  // one frame, while writes may fail
  here_.full = false;
  deliver();
  EXPECT_EQ(here("1/r.out"), std::string(300'000, 'a'));
}

TEST_F(OutputUploaderTest, what_logs_max_took_on_the_host_is_dropped_here_too) {
  print("1/r.out", std::string(100, 'a'));
  deliver();
  uploader_.connect(false);
  host_.files["1/r.out"].bytes = std::string(4000, '\0') + "kept\n";
  host_.files["1/r.out"].kept = 4000;
  uploader_.dropped(kOut, 4000);
  uploader_.connect(true);
  uploader_.pump();
  deliver();
  EXPECT_EQ(here_.files["1/r.out"].kept, 4000u);
  EXPECT_EQ(here("1/r.out").substr(4000), "kept\n");
  EXPECT_EQ(uploader_.left().bytes, 0u);
}

TEST_F(OutputUploaderTest, Order_OldestRecordsDropped_ArriveAsAFileThatBeginsThere) {
  const OutputFile order{1, 3, OutputStream::order};
  mirror_.emplace(here_, 0);  // no logs.max
  uploader_.add(order, "1/r.order");
  host_.files["1/r.order"] = {std::string(4096, '\0') + "kept", 4096};
  uploader_.dropped(order, 4096);
  uploader_.grew({"1/r.order"});
  uploader_.pump();
  deliver();
  EXPECT_EQ(here_.files["1/r.order"].kept, 4096u);
  EXPECT_EQ(here("1/r.order").substr(4096), "kept");
  EXPECT_EQ(uploader_.left_of(1, 3), 0u);
}

TEST_F(OutputUploaderTest, an_earlier_attempt_goes_first_and_is_forgotten_when_it_is_there) {
  print("1/r.out", std::string(2 << 20, 'a'));
  uploader_.add({2, 3, OutputStream::out}, "2/r.out");
  print("2/r.out", "again\n");
  EXPECT_THAT(uploader_.forget_before(2), IsEmpty());
  while (!sent_.empty() && sent_.front().file.attempt == 1) {
    const OutputMirror::Heard heard = hear(sent_.front());
    sent_.pop_front();
    if (heard.answer && uploader_.taken(*heard.answer)) uploader_.pump();
  }
  EXPECT_EQ(here("1/r.out").size(), 2u << 20);
  EXPECT_THAT(uploader_.forget_before(2), ElementsAre("1/r.out"));
  deliver();
  EXPECT_EQ(here("2/r.out"), "again\n");
  EXPECT_THAT(uploader_.forget_before(3), ElementsAre("2/r.out"));
}

class OutputMirrorTest : public testing::Test {
 protected:
  OutputMirrorTest() { mirror_.add(kOut, {"r.out", "r.err"}); }
  FakeOutput here_;
  OutputMirror mirror_{here_, 0};
};

TEST_F(OutputMirrorTest, believes_no_offset) {
  EXPECT_TRUE(mirror_.heard({kOut, 100, 0, "late"}).answer->again);
  EXPECT_FALSE(mirror_.heard({kOut, 200, 0, "later"}).answer);          // it was requested already
  EXPECT_FALSE(mirror_.heard({kOut, 1 << 20, 1 << 20, "gap"}).answer);  // nothing is dropped without logs.max
  EXPECT_FALSE(mirror_.heard({kOut, 4, 8, "less"}).answer);
  EXPECT_FALSE(mirror_.heard({kOut, 0, 0, std::string(kOutputFrame + 1, 'x')}).answer);
  EXPECT_TRUE(here_.files["r.out"].bytes.empty());
  OutputMirror bounded(here_, 1 << 20);
  bounded.add(kOut, {"r.out", "r.err"});
  EXPECT_FALSE(bounded.heard({kOut, UINT64_MAX - 2, UINT64_MAX - 2, "far"}).answer);
}

TEST_F(OutputMirrorTest, notes_when_it_came_and_holds_files_to_their_limit) {
  OutputMirror bounded(here_, 800);
  bounded.add(kOut, {"1/r.out", "1/r.err"});
  (void)bounded.heard({kOut, 0, 0, std::string(2000, 'x')});
  EXPECT_THAT(bounded.beat(from_unix_nanos(5)).troubles, IsEmpty());
  EXPECT_EQ(here_.files["1/r.times"].bytes.size(), 24u);
  EXPECT_EQ(here_.files["1/r.out"].kept, 1300u);
}

}  // namespace
}  // namespace muster
