// SPDX-License-Identifier: Apache-2.0
#include "backends/kubernetes/cluster/memory_deaths.h"

#include <algorithm>
#include <csignal>

#include "core/base/text.h"

namespace muster {
namespace {

constexpr std::string_view kLost = " was lost: ";
// Kubernetes rounds a container's end to whole seconds, so an attempt may seem to begin up to 1 s later.
constexpr Duration kSoonest = std::chrono::seconds(1);

std::vector<const RankView*> ranks_of(const JobView& job, const PodFacts& pod) {
  std::vector<const RankView*> ranks;
  for (const RankView& rank : job.ranks) {
    if (!rank.host.empty() && pod.name.starts_with(rank.host + "-")) ranks.push_back(&rank);
  }
  return ranks;
}

// The last attempt that began before `death` and lost the agent on `host`.
AttemptView* attempt_of(JobView& job, const std::string& host, TimePoint death) {
  AttemptView* found = nullptr;
  for (AttemptView& each : job.attempts) {
    if (each.cause.starts_with(host + std::string(kLost)) && each.placed <= death + kSoonest) found = &each;
  }
  return found;
}

std::string sentence_of(const std::vector<const RankView*>& ranks) {
  constexpr size_t kMostNames = 4;
  const std::string rest = " exceeded the memory limit of its container, which was killed as a whole (OOMKilled)";
  if (ranks.size() == 1) return ranks[0]->name + " on " + ranks[0]->host + rest;
  std::vector<std::string> names;
  for (const RankView* rank : ranks) names.push_back(rank->name);
  return "a rank on " + ranks[0]->host + " (" + short_list(names, kMostNames) + ")" + rest;
}

}  // namespace

bool lost_agents(const JobView& job) {
  return std::any_of(job.attempts.begin(), job.attempts.end(),
                     [](const AttemptView& each) { return each.cause.find(kLost) != std::string::npos; });
}

void tell_memory_deaths(JobView& job, const std::vector<PodFacts>& pods) {
  for (const PodFacts& pod : pods) {
    const auto ranks = pod.last_reason == "OOMKilled" ? ranks_of(job, pod) : std::vector<const RankView*>();
    AttemptView* attempt = ranks.empty() ? nullptr : attempt_of(job, ranks[0]->host, pod.last_ended);
    if (attempt == nullptr) continue;
    const std::string before = std::exchange(attempt->cause, sentence_of(ranks));
    if (const size_t at = job.sentence.find(before); at != std::string::npos)
      job.sentence.replace(at, before.size(), attempt->cause);
    attempt->culprit_exit.kind = ExitStatus::Kind::signalled;
    attempt->culprit_exit.signal = SIGKILL;
    attempt->culprit_exit.oom = true;
    if (ranks.size() == 1) attempt->culprit = ranks[0]->index;
  }
}

}  // namespace muster
