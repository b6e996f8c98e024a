// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/rank_terminal.h"

namespace muster {

void RankTerminal::type(const TtyInput& typed) {
  const Submission& submission = context_.ledger.submission();
  if (rank() != typed.index || typed.index >= submission.plan.ranks.size()) return;
  const NodeIndex node = submission.plan.ranks[typed.index].node;
  if (const auto now = ahead_.type(typed, context_.ledger.attempt_on(node))) send(*now);
}

void RankTerminal::heard(const Report& report) {
  for (const RankReport& rank : report.ranks) {
    if (rank.phase != RankPhase::running || this->rank() != rank.index) continue;
    const auto missed = ahead_.rank_runs(rank.index, report.attempt);
    if (missed && (missed->rows > 0 || !missed->bytes.empty())) send(*missed);
  }
}

// A job without a tty rank may have given its only rank a terminal (CallerWindow).
Rank RankTerminal::rank() const { return context_.ledger.submission().spec.tty_rank.value_or(0); }

void RankTerminal::send(const TtyInput& typed) {
  context_.nodes.send(context_.ledger.submission().plan.ranks[typed.index].node, typed);
}

}  // namespace muster
