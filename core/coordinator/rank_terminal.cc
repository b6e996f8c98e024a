// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/rank_terminal.h"

namespace muster {

void RankTerminal::type(const TtyInput& typed) {
  const Submission& submission = context_.ledger.submission();
  if (submission.spec.tty_rank != typed.index || typed.index >= submission.plan.ranks.size()) return;
  const NodeIndex node = submission.plan.ranks[typed.index].node;
  if (const auto now = ahead_.type(typed, context_.ledger.attempt_on(node))) send(*now);
}

void RankTerminal::heard(const Report& report) {
  for (const RankReport& rank : report.ranks) {
    if (rank.phase != RankPhase::running || context_.ledger.submission().spec.tty_rank != rank.index) continue;
    if (const auto missed = ahead_.rank_runs(rank.index, report.attempt)) send(*missed);
  }
}

void RankTerminal::send(const TtyInput& typed) {
  context_.nodes.send(context_.ledger.submission().plan.ranks[typed.index].node, typed);
}

}  // namespace muster
