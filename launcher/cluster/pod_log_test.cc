#include "launcher/cluster/pod_log.h"

#include <gtest/gtest.h>

namespace muster {
namespace {

JobView job_of(uint32_t ranks) {
  JobView job;
  for (uint32_t i = 0; i < ranks; ++i) {
    RankView rank;
    rank.index = i;
    rank.name = "rank " + std::to_string(i);
    job.ranks.push_back(rank);
  }
  return job;
}

std::string text_of(const std::vector<FollowItem>& items) {
  std::string text;
  for (const FollowItem& item : items) {
    if (const auto* chunk = std::get_if<OutputChunk>(&item.item)) {
      text += std::to_string(chunk->position.index) + "@" + std::to_string(chunk->position.offset) + "<" +
              chunk->bytes + ">";
    } else {
      text += "(" + std::get<JobEvent>(item.item).sentence + ")";
    }
  }
  return text;
}

TEST(PodLog, LinesOfRanks_AreTheirs_AndTheRestIsMusters) {
  PodLog log(job_of(11));
  EXPECT_EQ(text_of(log.take("[0]  epoch 1\n[10]  two blanks\nhello  restarting\n[0]  ep")),
            "0@0<epoch 1\n>10@0< two blanks\n>(hello  restarting)");
  EXPECT_EQ(text_of(log.take("och 2\n[99] x\n")), "0@8<epoch 2\n>([99] x)");
  EXPECT_EQ(text_of(log.rest()), "");
}

TEST(PodLog, OfOneRank_AllLinesAreItsOwn) {
  PodLog log(job_of(1));
  EXPECT_EQ(text_of(log.take("[0] as it was\nand mo")), "0@0<[0] as it was\n>");
  EXPECT_EQ(text_of(log.rest()), "0@14<and mo>");
}

}  // namespace
}  // namespace muster
