// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/output_remarks.h"

#include "core/base/text.h"
#include "core/port/output_messages.h"

namespace muster {

std::vector<std::string> OutputRemarks::heard(const Submission& submission, const Report& report) {
  std::vector<std::string> sentences;
  for (const RankReport& rank : report.ranks) {
    if (rank.dropped_bytes == 0 || rank.index >= submission.plan.ranks.size()) continue;
    uint64_t& told = dropped_[{report.attempt, rank.index}];
    if (rank.dropped_bytes == told || (told > 0 && rank.phase != RankPhase::exited)) continue;
    told = rank.dropped_bytes;
    sentences.push_back(std::string(kOutputDropped) + humane_size(told) + std::string(kOfOutput) +
                        rank_name(submission.spec, submission.plan.ranks[rank.index]) + ": logs.max is " +
                        humane_size(submission.spec.logs.max_bytes));
  }
  if (!report.trouble.empty() && troubles_.insert(report.trouble).second) sentences.push_back(report.trouble);
  return sentences;
}

}  // namespace muster
