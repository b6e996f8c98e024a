// Coordinator, its watch over the gang: what agents see of their ranks becomes verdicts, and those the job machine's events.
#include "core/coordinator/coordinator.h"

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
  const job::State& state = state_of(node);
  if (state.phase != job::Phase::running || report.attempt != state.attempt) return;
  Gang& gang = gang_of(node);
  if (gang.seen.attempt != state.attempt) gang.seen = vigil::begin(fold_.submission().spec.hangs, state.attempt);
  const auto& rules = fold_.state().rules.ranks;
  for (const RankReport& rank : report.ranks) {
    const bool known = rank.index < rules.size() && rules[rank.index].node == node;
    if (!known) continue;
    if (rank.progress) gang.pace.heard(ports_.loop.now(), report.attempt, rank.index, rank.progress->step);
    if (rank.phase != RankPhase::running) {
      vigil::hear(gang.seen, rank.index, std::nullopt);
      continue;
    }
    vigil::RankSeen seen{rules[rank.index].name, rank.finding, rank.silent, rank.still, {}, rank.standing};
    if (rank.progress) seen.step = rank.progress->step;
    vigil::hear(gang.seen, rank.index, std::move(seen));
  }
  const uint32_t number = job::gang_of(fold_.state(), node);
  if (on_one_node(number)) {
    gang.seen.waits = report.waits;
    gang.seen.waited = report.waited;
  }
  judge(number);
}

// Where the gang's rendezvous is here. Once a beat: to know who has not come is to look at all ranks.
void Coordinator::note_open_barrier(uint32_t number) {
  if (on_one_node(number)) return;
  Gang& gang = gangs_[number];
  gang.seen.waits.clear();
  gang.seen.waited = Duration(0);
  const auto open = gang.rendezvous.longest_open();
  if (!open) return;
  gang.seen.waits = open->sentence;
  gang.seen.waited = ports_.loop.now() - open->since;
}

// Time counts where every rank was there to be watched, and every node told of its own.
void Coordinator::watch_beat(uint32_t number) {
  const job::State& state = job::gang_at(fold_.state(), number);
  Gang& gang = gangs_[number];
  if (state.phase != job::Phase::running || !state.all_running || gang.seen.attempt != state.attempt) return;
  note_open_barrier(number);
  for (const auto& [index, node] : nodes_) {
    const bool heard = node.channel && node.silent <= beats_between_levels(node);
    if (!heard && job::gang_of(fold_.state(), index) == number) return;
  }
  vigil::beat(gang.seen, kBeat);
  judge(number);
}

void Coordinator::judge(uint32_t number) {
  vigil::Verdicts verdicts = vigil::judge(gangs_[number].seen, now());
  const std::shared_ptr<bool> alive = alive_;
  for (job::Judged& verdict : verdicts.standing) {
    verdict.gang = number;
    if (*alive) happen(verdict);
  }
  if (!*alive) return;
  gangs_[number].examine = verdicts.examine;
  for (const job::Judged& verdict : over(number, verdicts.standing)) {
    if (*alive) happen(verdict);
  }
}

// What stood and does so no more. Of a rank of which nothing was heard yet, as after a takeover, that cannot be known; nor of
// a gang that hung, before it has made a step.
std::vector<job::Judged> Coordinator::over(uint32_t number, const std::vector<job::Judged>& standing) const {
  const job::State& state = job::gang_at(fold_.state(), number);
  const Gang& gang = gangs_[number];
  std::vector<job::Judged> over;
  for (const auto& [own, hang] : state.hangs) {
    const uint32_t rank = own + state.rules.first_rank;
    if (stands(standing, rank) || gang.seen.ranks.count(rank) == 0) continue;
    over.push_back({gang.seen.attempt, rank, job::HangKind::none, hang.since, "", "", number});
  }
  const job::HangKind kind = state.gang_hang.kind;
  const bool unknown = kind == job::HangKind::none || (kind == job::HangKind::hung && gang.seen.steps == 0);
  if (!unknown && !stands(standing, std::nullopt) && !gang.examine)
    over.push_back({gang.seen.attempt, std::nullopt, job::HangKind::none, state.gang_hang.since, "", "", number});
  return over;
}

void Coordinator::add_watch(JobView& view) const {
  for (uint32_t number = 0; number < gangs_.size(); ++number) {
    const vigil::Pace& pace = gangs_[number].pace;
    if (pace.attempt() != job::gang_at(fold_.state(), number).attempt) continue;
    for (const auto& [rank, permille] : pace.permille()) {
      if (rank < view.ranks.size()) view.ranks[rank].pace = permille;
    }
  }
}

}  // namespace muster
