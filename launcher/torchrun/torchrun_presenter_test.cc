// SPDX-License-Identifier: Apache-2.0
#include "launcher/torchrun/torchrun_presenter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/client/follow/follow_fakes.h"
#include "test/sim/sim_loop.h"

namespace muster {
namespace {

class TorchrunConsoleTest : public testing::Test {
 protected:
  void show(const std::string& redirects, const std::string& tee, size_t ranks = 2,
            std::vector<std::string> words = {}) {
    TorchrunSettings settings;
    settings.ranks = static_cast<uint32_t>(ranks);
    settings.redirects = *StreamPick::parse("", redirects);
    settings.tee = *StreamPick::parse("", tee);
    settings.prefix_template = "[${role_name}${local_rank}]:";
    rules_ = std::make_unique<OutputRules>(settings, "default", "here", false);
    copies_ = std::make_unique<FilteredCopies>(copies_folder_, std::move(words), std::vector<std::string>{}, *rules_);
    presenter_ =
        std::make_unique<TorchrunPresenter>(screen_, loop_,
                                            TorchrunConsole{.first = first_,
                                                            .ranks = ranks,
                                                            .rules = *rules_,
                                                            .logs = logs_,
                                                            .copies = *copies_,
                                                            .since = since_,
                                                            .facts = [](const JobView&) { return FailureFacts{}; }});
    presenter_->view(view_of(ranks));
  }

  const std::string copies_folder_ = testing::TempDir() + "filtered-" + std::to_string(getpid());
  Attempt since_ = 0;
  std::function<uint32_t(Attempt)> first_ = [](Attempt) { return 0u; };
  sim::SimLoop loop_;
  RecordingScreen screen_;
  RankLogs logs_{"", "", 0};
  std::unique_ptr<OutputRules> rules_;
  std::unique_ptr<FilteredCopies> copies_;
  std::unique_ptr<TorchrunPresenter> presenter_;
};

TEST_F(TorchrunConsoleTest, SuccessIsSilent) {
  show("0", "0", 1);
  presenter_->event(event_of(1, "running: 1 rank"));
  presenter_->output(chunk_of(0, 0, "half a\r line"));
  presenter_->end(view_of(1, "succeeded"));
  EXPECT_EQ(screen_.out_text, "half a\r line");
  EXPECT_EQ(screen_.err_text, "");
}

TEST_F(TorchrunConsoleTest, EachStreamAsItWasAskedFor) {
  show("0:1", "1:1");
  presenter_->output(chunk_of(0, 0, "hidden\n"));
  presenter_->output(chunk_of(0, 0, "plain\n", 1, OutputStream::err));
  presenter_->output(chunk_of(1, 0, "teed\n"));
  EXPECT_EQ(screen_.out_text, "[default1]:teed\n");
  EXPECT_EQ(screen_.err_text, "plain\n");
}

TEST_F(TorchrunConsoleTest, OneRankIsTeedWithItsPrefixToo) {
  show("0", "3", 1);
  presenter_->output(chunk_of(0, 0, "a\nb\n"));
  EXPECT_EQ(screen_.out_text, "[default0]:a\n[default0]:b\n");
}

TEST_F(TorchrunConsoleTest, ALineWithoutItsEndComesOutAfterASilence) {
  show("0", "0");
  presenter_->output(chunk_of(0, 0, "10 %"));
  EXPECT_EQ(screen_.out_text, "");
  loop_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(screen_.out_text, "10 %");
}

TEST_F(TorchrunConsoleTest, ARestartAndAFailureAreSaid) {
  show("0", "0");
  presenter_->event(event_of(2, "rank 1 exited with code 1 · restarting, attempt 2 of 4", "stopping"));
  JobView failed = view_of(2, "failed");
  failed.sentence = "failed: rank 1 exited with code 1";
  presenter_->end(failed);
  EXPECT_EQ(screen_.err_text,
            "train-7f2  rank 1 exited with code 1 · restarting, attempt 2 of 4\n"
            "train-7f2  failed: rank 1 exited with code 1\n"
            "logs:  muster logs train-7f2\nwhy:   muster why train-7f2\n");
}

TEST_F(TorchrunConsoleTest, WaitsForHosts_AreShown) {
  show("0", "0");
  presenter_->event(event_of(2, "node-b is unreachable, which may be the cause", "running"));
  presenter_->event(event_of(3, "continuing with 1 host, 2 ranks", "running"));
  presenter_->event(event_of(4, "stopping: node-b was lost: it hung up", "stopping"));
  presenter_->event(event_of(5, "failed: node-b was lost: it hung up", "failed"));
  EXPECT_EQ(screen_.err_text,
            "train-7f2  node-b is unreachable, which may be the cause\ntrain-7f2  continuing with 1 host, 2 ranks\n");
}

TEST_F(TorchrunConsoleTest, EventsOfEarlierAttempts_AreNotShown) {
  since_ = 3;
  show("0", "0");
  JobEvent before = event_of(2, "rank 1 exited with code 1 · restarting, attempt 2 of 4", "stopping");
  before.attempt = 1;
  presenter_->event(before);
  EXPECT_EQ(screen_.err_text, "");
}

TEST_F(TorchrunConsoleTest, RanksCountFromTheHostsFirstOfTheirAttempt) {
  first_ = [](Attempt attempt) { return attempt == 1 ? 4u : 2u; };
  show("0", "3");
  presenter_->output(chunk_of(5, 0, "a\n", 1));
  presenter_->output(chunk_of(2, 0, "b\n", 2));
  EXPECT_EQ(screen_.out_text, "[default1]:a\n[default0]:b\n");
}

TEST_F(TorchrunConsoleTest, FilteredLinesAreCopiedWithTheirPrefix) {
  show("0", "1:1", 2, {"loss", "eval"});
  presenter_->output(chunk_of(0, 0, "loss 1\n"));
  presenter_->output(chunk_of(1, 0, "loss 2\nother\nmy ev"));
  presenter_->output(chunk_of(1, 0, "al 3"));
  presenter_->end(view_of(2, "succeeded"));
  std::stringstream copied;
  copied << std::ifstream(copies_folder_ + "/attempt_0/filtered_stdout.log").rdbuf();
  EXPECT_EQ(copied.str(), "[default1]:loss 2\n[default1]:my eval 3\n");
  std::filesystem::remove_all(copies_folder_);
}

}  // namespace
}  // namespace muster
