// Coordinator, its watch over the gang: what agents see of their ranks becomes verdicts, and those the job machine's events.
#include "core/runtime/coordinator.h"

namespace muster {
namespace {

bool stands(const std::vector<job::Judged>& verdicts, const std::optional<uint32_t>& rank) {
  for (const job::Judged& verdict : verdicts) {
    if (verdict.rank == rank) return true;
  }
  return false;
}

}  // namespace

void Coordinator::watch(NodeIndex node, const Report& report) {
  const job::State& state = fold_.state();
  if (state.phase != job::Phase::running || report.attempt != state.attempt) return;
  if (gang_.attempt != state.attempt) gang_ = vigil::begin(fold_.submission().spec.hangs, state.attempt);
  for (const RankReport& rank : report.ranks) {
    const bool known = rank.index < state.ranks.size() && state.rules.ranks[rank.index].node == node;
    if (!known) continue;
    if (rank.progress) pace_.heard(ports_.loop.now(), report.attempt, rank.index, rank.progress->step);
    if (rank.phase != RankPhase::running) {
      vigil::hear(gang_, rank.index, std::nullopt);
      continue;
    }
    vigil::RankSeen seen{state.rules.ranks[rank.index].name, rank.finding, rank.silent, rank.still, {}, rank.standing};
    if (rank.progress) seen.step = rank.progress->step;
    vigil::hear(gang_, rank.index, std::move(seen));
  }
  note_open_barrier(report);
  judge();
}

void Coordinator::note_open_barrier(const Report& report) {
  gang_.waits = report.waits;
  gang_.waited = report.waited;
  const auto open = rendezvous_.longest_open();
  if (fold_.submission().plan.nodes.size() == 1 || !open) return;
  gang_.waits = open->sentence;
  gang_.waited = ports_.loop.now() - open->since;
}

// Time counts where every rank was there to be watched, and every node told of its own.
void Coordinator::watch_beat() {
  const job::State& state = fold_.state();
  if (state.phase != job::Phase::running || !state.all_running || gang_.attempt != state.attempt) return;
  for (const auto& [index, node] : nodes_) {
    if (!node.channel || node.silent > 1) return;
  }
  vigil::beat(gang_, kBeat);
  judge();
}

void Coordinator::judge() {
  const vigil::Verdicts verdicts = vigil::judge(gang_, now());
  const std::shared_ptr<bool> alive = alive_;
  for (const job::Judged& verdict : verdicts.standing) {
    if (*alive) happen(verdict);
  }
  if (!*alive) return;
  examine_ = verdicts.examine;
  for (const job::Judged& verdict : over(verdicts.standing)) {
    if (*alive) happen(verdict);
  }
}

// What stood and does so no more. Of a rank of which nothing was heard yet, as after a takeover, that cannot be known; nor of
// a gang that hung, before it has made a step.
std::vector<job::Judged> Coordinator::over(const std::vector<job::Judged>& standing) const {
  const job::State& state = fold_.state();
  std::vector<job::Judged> over;
  for (const auto& [rank, hang] : state.hangs) {
    if (stands(standing, rank) || gang_.ranks.count(rank) == 0) continue;
    over.push_back({gang_.attempt, rank, job::HangKind::none, hang.since, "", ""});
  }
  const job::HangKind gang = state.gang_hang.kind;
  const bool unknown = gang == job::HangKind::none || (gang == job::HangKind::hung && gang_.steps == 0);
  if (!unknown && !stands(standing, std::nullopt) && !examine_)
    over.push_back({gang_.attempt, std::nullopt, job::HangKind::none, state.gang_hang.since, "", ""});
  return over;
}

void Coordinator::add_watch(JobView& view) const {
  const std::map<uint32_t, uint32_t> pace = pace_.permille();
  for (RankView& rank : view.ranks) {
    const auto found = pace.find(rank.index);
    if (found != pace.end() && pace_.attempt() == view.attempt) rank.pace = found->second;
  }
}

}  // namespace muster
