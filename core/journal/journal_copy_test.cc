// SPDX-License-Identifier: Apache-2.0
#include "core/journal/journal_copy.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

Submission typed() {
  Submission submission;
  Random random(3);
  submission.id = JobId::make(random);
  submission.name = "train-abc";
  submission.origin = "secret-project/job.yaml";
  submission.manifest = R"({"kind":"TrainJob","spec":"secret-project"})";
  submission.spec.name = submission.name;
  submission.spec.workdir = "/home/ann/secret-project";
  submission.spec.env["PASSPHRASE"].literal = "hidden";
  submission.spec.restarts.limit = 3;
  submission.spec.groups = {GroupSpec{}};
  submission.spec.groups[0].command = {"python", "secret-project/train.py"};
  submission.spec.groups[0].env["MORE"].literal = "hidden";
  for (uint32_t index = 0; index < 3; ++index) {
    PlannedRank rank;
    rank.rank = rank.world_rank = index;
    rank.node = index / 2;
    rank.local_rank = index % 2;
    submission.plan.ranks.push_back(rank);
  }
  submission.plan.nodes = {{0, 0, "node-a", {0, 1}}, {1, 0, "node-b", {2}}};
  return submission;
}

TEST(JournalCopy, WhatWasTypedOnAHostStaysThere) {
  const std::string line = shared_line(encode_line({TimePoint(), typed()}));
  for (const char* word : {"secret", "hidden", "PASSPHRASE", "python", "ann"})
    EXPECT_EQ(line.find(word), std::string::npos) << word << " in " << line;
}

TEST(JournalCopy, OtherLinesAreAsTheyAre) {
  const std::string line = encode_line({TimePoint(), Remark{"a sentence", true}});
  EXPECT_EQ(shared_line(line), line);
  EXPECT_EQ(shared_line("nonsense"), "nonsense");
}

TEST(JournalCopy, AHostHasItsOwnCommandFolderEnvironmentAndDevices) {
  const auto shared = decode_line(shared_line(encode_line({TimePoint(), typed()})));
  JobSpec own;
  own.workdir = "/home/bob";
  own.env["MINE"].literal = "1";
  own.groups = {GroupSpec{}};
  own.groups[0].command = {"python3", "mine.py"};
  Plan here;
  here.ranks.resize(1);
  here.ranks[0].gpus = {Gpu{0, "GPU-b"}};
  Random random(4);
  const JobId id = JobId::make(random);
  const Submission ours = localized(std::get<Submission>(shared->entry), id, own, 1, here);
  EXPECT_EQ(ours.id, id);
  EXPECT_EQ(ours.name, "train-abc-node1");
  EXPECT_EQ(ours.spec.workdir, "/home/bob");
  EXPECT_EQ(ours.spec.groups[0].command, own.groups[0].command);
  EXPECT_EQ(ours.spec.env, own.env);
  EXPECT_EQ(ours.spec.restarts.limit, 3u) << "the first host decides about restarts";
  EXPECT_TRUE(ours.plan.ranks[0].gpus.empty());
  EXPECT_EQ(ours.plan.ranks[2].gpus, here.ranks[0].gpus);
}

}  // namespace
}  // namespace muster
