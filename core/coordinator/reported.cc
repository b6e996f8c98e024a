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

}  // namespace

job::Reported reported(NodeIndex node, Incarnation incarnation, const Report& report) {
  job::Reported event{node,
                      incarnation,
                      report.attempt,
                      report.quiet,
                      {},
                      report.setup.phase == SetupPhase::done,
                      report.setup.failure,
                      report.taken,
                      report.setup.phase == SetupPhase::devices ? escaped(report.setup.doing) : ""};
  for (const RankReport& rank : report.ranks) event.ranks.push_back(fact_of(rank));
  return event;
}

}  // namespace muster
