// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/log_choice.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

FollowItem line(Attempt attempt, uint32_t index, const std::string& words, OutputStream stream = OutputStream::out) {
  return {OutputChunk{{attempt, index, stream, 0}, words}};
}

FollowItem sentence(const std::string& words) {
  JobEvent event;
  event.sentence = words;
  return {event};
}

JobView job_of(uint32_t ranks) {
  JobView job;
  for (uint32_t i = 0; i < ranks; ++i) {
    RankView rank;
    rank.index = i;
    rank.group = i == 0 ? "actor" : "learner";
    job.ranks.push_back(rank);
  }
  return job;
}

std::string text_of(const std::vector<FollowItem>& items) {
  std::string text;
  for (const FollowItem& item : items) {
    const auto* chunk = std::get_if<OutputChunk>(&item.item);
    text += (chunk != nullptr ? chunk->bytes : "(" + std::get<JobEvent>(item.item).sentence + ")") + " ";
  }
  return text;
}

std::vector<FollowItem> some_lines() {
  return {line(1, 0, "a"), line(1, 1, "b"), line(1, 0, "c", OutputStream::err),
          line(2, 0, "d"), line(2, 0, "e"), line(2, 1, "f")};
}

TEST(LogChoice, AttemptsAndRanks_AreChosen) {
  FollowRequest request{.output = true};
  EXPECT_EQ(text_of(LogChoice(request, job_of(2), {}).take(some_lines())), "a b c d e f ");
  request.attempt = 1;
  EXPECT_EQ(text_of(LogChoice(request, job_of(2), {}).take(some_lines())), "a b c ");
  request.attempt.reset();
  request.first_attempt = 2;
  request.ranks = {1};
  EXPECT_EQ(text_of(LogChoice(request, job_of(2), {}).take(some_lines())), "f ");
}

TEST(LogChoice, AGroupThatWentOn_IsInTheLaterAttemptToo) {
  JobView job = job_of(2);
  job.attempts.resize(2);
  job.attempts[0].attempt = 1;
  job.attempts[1].attempt = 2;
  job.attempts[1].group = "learner";
  const FollowRequest request{.output = true, .attempt = 2};
  EXPECT_EQ(text_of(LogChoice(request, job, {}).take({line(1, 0, "actor"), line(1, 1, "old"), line(2, 1, "new")})),
            "actor new ");
}

TEST(LogChoice, ATail_IsOfEachStream_AndWhatFollowsComesAtOnce) {
  const FollowRequest request{.output = true, .tail_lines = 1};
  LogChoice choice(request, job_of(2), {});
  EXPECT_EQ(
      text_of(choice.take({line(1, 0, "a"), line(1, 1, "b"), line(1, 0, "c"), line(1, 0, "d", OutputStream::err)})),
      "");
  EXPECT_EQ(text_of(choice.shows()), "b c d ");
  EXPECT_EQ(text_of(choice.take({line(1, 0, "e"), line(1, 0, "f")})), "e f ");
  EXPECT_EQ(text_of(choice.shows()), "");
}

TEST(LogChoice, Sentences_SayWhenWhatHappenedIsTold) {
  std::vector<JobEvent> events(4);
  const char* sentences[] = {"submitted", "rank 0 failed", "", "running again"};
  for (size_t i = 0; i < events.size(); ++i) {
    events[i].sequence = i + 1;
    events[i].sentence = sentences[i];
  }
  FollowRequest request{.events = true, .output = true};
  LogChoice choice(request, job_of(1), events);
  EXPECT_EQ(text_of(choice.take({line(1, 0, "a"), sentence("hello  rank 0 failed in 3 s"), line(2, 0, "b"),
                                 sentence("a viewer came")})),
            "a (submitted) (rank 0 failed) b ");
  EXPECT_EQ(text_of(choice.rest()), "() (running again) ");
  request.from_event = 3;
  EXPECT_EQ(text_of(LogChoice(request, job_of(1), events).rest()), "() (running again) ");
  EXPECT_EQ(text_of(LogChoice(request, job_of(1), {}).take({sentence("as it stands")})), "(as it stands) ");
}

}  // namespace
}  // namespace muster
