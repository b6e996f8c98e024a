// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/client/follow/follow_fakes.h"
#include "launcher/follow/text_presenter.h"

namespace muster {
namespace {

JobView ended(const std::string& state, const std::string& sentence) {
  JobView job = view_of(2, state);
  job.sentence = sentence;
  job.started = from_unix_nanos(2'000'000'000);
  job.ended = from_unix_nanos(33'400'000'000);
  return job;
}

TEST(TextPresenter, TellsTheStoryOnStderrAndTheOutputOnStdout) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  presenter.view(view_of(2));
  presenter.output(chunk_of(0, 0, "loss 1\n"));
  presenter.event(event_of(1, ""));
  presenter.event(event_of(2, "rank 1 failed; restarting"));
  presenter.event(event_of(3, "succeeded", "succeeded"));
  presenter.end(ended("succeeded", "all ranks exited with code 0"));
  EXPECT_EQ(screen.out_text, "[0] loss 1\n");
  EXPECT_EQ(screen.err_text,
            "train-7f2  2 ranks on this machine · torch\n"
            "train-7f2  rank 1 failed; restarting\n"
            "train-7f2  succeeded in 31.4 s\n");
}

TEST(TextPresenter, WithoutEvents_ALineStandsBetweenTheOutputOfAttempts) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {.events = false});
  presenter.view(view_of(2));
  OutputChunk chunk = chunk_of(0, 0, "loss 1\n");
  presenter.output(chunk);
  chunk.position.attempt += 2;
  presenter.output(chunk);
  presenter.output(chunk);
  EXPECT_EQ(screen.err_text, "train-7f2  attempt " + std::to_string(chunk.position.attempt) + "\n");
}

TEST(TextPresenter, Progress_IsTheFootOfATerminalBelowWhateverComes) {
  RecordingScreen screen;
  const Style terminal{.terminal = true, .columns = 80};
  TextPresenter presenter(screen, terminal, terminal, {});
  JobView job = view_of(2);
  presenter.view(job);
  job.progress = JobProgress{{3, 10, {}}, {}, {}};
  screen.err_text.clear();
  presenter.view(job);
  EXPECT_EQ(screen.err_text, "step 3 of 10  30 %  ██████              ");
  screen.err_text.clear();
  presenter.output(chunk_of(0, 0, "loss 1\n"));
  EXPECT_EQ(screen.out_text, "[0] loss 1\n");
  EXPECT_EQ(screen.err_text, "\r\x1b[Kstep 3 of 10  30 %  ██████              ");
  screen.err_text.clear();
  presenter.end(ended("succeeded", "all ranks exited with code 0"));
  EXPECT_TRUE(screen.err_text.starts_with("\r\x1b[Ktrain-7f2  succeeded")) << screen.err_text;
}

TEST(TextPresenter, AQuestion_StaysInSightUntilItIsAnswered) {
  RecordingScreen screen;
  const Style terminal{.terminal = true, .columns = 80};
  TextPresenter presenter(screen, terminal, terminal, {});
  JobView job = view_of(2);
  presenter.view(job);
  presenter.interrupted();
  screen.err_text.clear();
  presenter.ask("d detach?");
  EXPECT_TRUE(screen.err_text.ends_with("d detach?")) << screen.err_text;
  screen.err_text.clear();
  job.progress = JobProgress{{3, 10, {}}, {}, {}};
  presenter.view(job);
  presenter.output(chunk_of(0, 0, "loss 1\n"));
  EXPECT_EQ(screen.err_text, "\r\x1b[Kd detach?");
  screen.err_text.clear();
  presenter.ask("");
  presenter.view(job);
  EXPECT_EQ(screen.err_text, "\r\x1b[Kstep 3 of 10  30 %  ██████              ");
}

TEST(TextPresenter, Progress_IsNotWrittenIntoAFile) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  JobView job = view_of(2);
  presenter.view(job);
  screen.err_text.clear();
  job.progress = JobProgress{{3, 10, {}}, {}, {}};
  presenter.view(job);
  EXPECT_EQ(screen.err_text, "");
}

TEST(TextPresenter, WhatTheStartAndTheEndTell_IsNotToldTwice) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  JobEvent submitted = event_of(1, "queued: 2 ranks on 1 node", "queued");
  submitted.kind = "submitted";
  presenter.event(submitted);
  presenter.event(event_of(2, "running: 2 ranks"));
  presenter.event(event_of(3, "stopping: the job has succeeded", "stopping"));
  EXPECT_EQ(screen.err_text, "");
  JobEvent asked = event_of(4, "stopping: you asked", "stopping");
  asked.kind = "stop";
  presenter.event(asked);
  EXPECT_EQ(screen.err_text, "  stopping: you asked\n");
}

TEST(TextPresenter, ATakeover_IsTheFollowersToTell) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  JobEvent event = event_of(1, "a new controller took the job over");
  event.kind = "remark";
  presenter.event(event);
  EXPECT_EQ(screen.err_text, "");
}

TEST(TextPresenter, AWaitingJob_SaysForWhatOnce) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  JobView job = view_of(0, "queued");
  job.waits_for = "1 CPU: first holds 0, 1";
  presenter.view(job);
  presenter.view(job);
  EXPECT_EQ(screen.err_text, "train-7f2  waits for 1 CPU: first holds 0, 1\n");
}

TEST(TextPresenter, TheStart_MayHaveANote) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {.start_note = "no GPU seen"});
  presenter.view(view_of(1));
  EXPECT_EQ(screen.err_text, "train-7f2  1 rank on this machine · torch · no GPU seen\n");
}

TEST(TextPresenter, AFailure_SaysWhyAndWhatToTypeNext) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  presenter.end(ended("failed", "failed: rank 1 exited with code 3"));
  EXPECT_EQ(screen.err_text, "train-7f2  failed: rank 1 exited with code 3\nwhy:   muster why train-7f2\n");
}

TEST(TextPresenter, Quiet_OnlyTheOutput) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {.events = false});
  presenter.view(view_of(1));
  presenter.event(event_of(1, "placed"));
  presenter.output(chunk_of(0, 0, "x"));
  presenter.end(ended("succeeded", ""));
  EXPECT_EQ(screen.out_text, "x");
  EXPECT_EQ(screen.err_text, "");
}

TEST(TextPresenter, OnATerminal_MustersWordsBeginALine) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {.terminal = true}, {.terminal = true}, {});
  presenter.view(view_of(1));
  screen.err_text.clear();
  presenter.output(chunk_of(0, 0, "no newline"));
  presenter.remark("goes on");
  EXPECT_EQ(screen.err_text, "\ntrain-7f2  goes on\n");
}

TEST(TextPresenter, OnATerminal_AnEchoedCtrlCIsOverwritten) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {.terminal = true}, {.terminal = true}, {});
  presenter.view(view_of(2));
  screen.err_text.clear();
  presenter.interrupted();
  presenter.remark("goes on");
  EXPECT_EQ(screen.err_text, "\r\x1b[Ktrain-7f2  goes on\n");
}

TEST(TextPresenter, ElsewhereNothingIsEchoed) {
  RecordingScreen screen;
  TextPresenter presenter(screen, {}, {}, {});
  presenter.interrupted();
  presenter.remark("goes on");
  EXPECT_EQ(screen.err_text, "  goes on\n");
}

}  // namespace
}  // namespace muster
