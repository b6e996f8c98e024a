// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/reported.h"

#include "core/base/text.h"

namespace muster {
namespace {

job::RankFact fact_of(const RankReport& rank) {
  job::RankFact fact;
  fact.index = rank.index;
  fact.exit = rank.exit;
  fact.ended = rank.ended;
  fact.phase = rank.phase;
  return fact;
}

bool is_known(const job::RankFact& fact, Attempt attempt, const job::State& gang) {
  const uint32_t rank = fact.index - gang.rules.first_rank;  // underflow: a rank of another gang
  if (attempt != gang.attempt || rank >= gang.ranks.size()) return false;
  const job::RankState& known = gang.ranks[rank];
  const bool over = gang.phase == job::Phase::stopping || (gang.phase == job::Phase::running && known.exit.success());
  return over && fact.phase == RankPhase::exited && known.phase == RankPhase::exited;
}

}  // namespace

job::Reported reported(NodeIndex node, Incarnation incarnation, const Report& report, const job::State& gang) {
  job::Reported event{node,
                      incarnation,
                      report.attempt,
                      report.quiet,
                      {},
                      report.setup.phase == SetupPhase::done,
                      report.setup.failure,
                      report.taken,
                      report.setup.phase == SetupPhase::devices ? escaped(report.setup.doing) : "",
                      report.service_failure};
  for (const RankReport& rank : report.ranks) {
    job::RankFact fact = fact_of(rank);
    if (!is_known(fact, report.attempt, gang)) event.ranks.push_back(std::move(fact));
  }
  return event;
}

}  // namespace muster
