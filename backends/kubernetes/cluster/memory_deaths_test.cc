// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/memory_deaths.h"

#include <gtest/gtest.h>

#include "backends/kubernetes/cluster/numbered_ranks_test.h"
#include "backends/kubernetes/cluster/recorded_answers_test.h"

namespace muster {
namespace {

// The status that a kubelet on a node with cgroup v2 writes for such a restarted container (kubernetes/kubernetes 117793). The nodes of the
// tests do not produce it.
const std::string kKilledByGroup =
    R"("phase":"Running","containerStatuses":[{"name":"agent","ready":false,"restartCount":1,"started":true,)"
    R"("lastState":{"terminated":{"containerID":"containerd://1f","exitCode":137,"finishedAt":"2026-11-23T10:31:07Z",)"
    R"("reason":"OOMKilled","startedAt":"2026-11-23T10:28:49Z"}},"state":{"running":{"startedAt":"2026-11-23T10:31:08Z"}}}])";

std::vector<PodFacts> pods(const std::string& status) { return *read_pods(recorded::pod("worker", status)); }

JobView job_with_ranks(uint32_t ranks) {
  JobView job = job_of_ranks(ranks);
  for (RankView& rank : job.ranks) rank.host = "hello-worker-0-0";
  job.attempts.resize(2);
  for (AttemptView& each : job.attempts)
    each.cause = "hello-worker-0-0 was lost: its agent ended, and its container was started again";
  job.attempts[0].placed = read_cluster_time("2026-11-23T10:28:50Z");
  job.attempts[1].placed = read_cluster_time("2026-11-23T10:40:00Z");
  job.sentence = "backoff: " + job.attempts[0].cause + "; again in 1 s";
  return job;
}

TEST(MemoryDeaths, OfOneRank_ItIsNamed) {
  JobView job = job_with_ranks(1);
  EXPECT_TRUE(lost_agents(job));
  tell_memory_deaths(job, pods(kKilledByGroup));
  EXPECT_EQ(job.attempts[0].cause,
            "rank 0 on hello-worker-0-0 exceeded the memory limit of its container, which was killed as a whole "
            "(OOMKilled)");
  EXPECT_EQ(job.attempts[0].culprit, 0u);
  EXPECT_TRUE(job.attempts[0].culprit_exit.oom);
  EXPECT_EQ(job.sentence, "backoff: " + job.attempts[0].cause + "; again in 1 s");
  EXPECT_TRUE(job.attempts[1].cause.find("was lost") != std::string::npos);  // it began later
}

TEST(MemoryDeaths, OfSeveral_NobodyKnowsWhich) {
  JobView job = job_with_ranks(2);
  tell_memory_deaths(job, pods(kKilledByGroup));
  EXPECT_TRUE(
      job.attempts[0].cause.starts_with("a rank on hello-worker-0-0 (rank 0, rank 1) exceeded the memory limit"))
      << job.attempts[0].cause;
  EXPECT_FALSE(job.attempts[0].culprit);
}

TEST(MemoryDeaths, OtherEnds_AreLeftAlone) {
  JobView job = job_with_ranks(1);
  std::string other = kKilledByGroup;
  other.replace(other.find("OOMKilled"), 9, "Error");
  tell_memory_deaths(job, pods(other));
  EXPECT_EQ(job, job_with_ranks(1));
  job.attempts[0].cause = "rank 0 exited with code 7";
  job.attempts.pop_back();
  const JobView as_it_was = job;
  EXPECT_FALSE(lost_agents(job));
  tell_memory_deaths(job, pods(kKilledByGroup));
  EXPECT_EQ(job, as_it_was);
}

}  // namespace
}  // namespace muster
