// Agent, its watch over the ranks: when it looks, and what it tells of that.
#include "core/runtime/agent.h"

namespace muster {

void Agent::look_at_ranks() {
  if (!ranks_) return;
  std::vector<WatchedRank> watched;
  for (RankSet::Running& rank : ranks_->running())
    watched.push_back({rank.index, rank.pid, std::move(rank.outputs), desk_.calls(rank.index)});
  watch_.look(watched);
}

void Agent::resume_stopped() {
  for (const uint32_t index : watch_.stopped()) ranks_->resume(index);
}

void Agent::drain_ranks(Duration grace, const std::string& why) {
  if (!ranks_) return;
  ranks_->drain(grace, why);
  resume_stopped();
}

void Agent::add_open_barrier(Report& report) const {
  const auto open = desk_.longest_open();
  if (!open) return;
  report.waits = open->sentence;
  report.waited = ports_.loop.now() - open->since;
}

}  // namespace muster
