// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/hang_watch.h"

namespace muster {
namespace {

bool has_finding(const std::vector<job::Judged>& findings, const std::optional<uint32_t>& rank) {
  for (const job::Judged& finding : findings) {
    if (finding.rank == rank) return true;
  }
  return false;
}

}  // namespace

HangWatch::HangWatch(const JobContext& context, const JobGangs& gangs)
    : context_(context),
      gangs_(gangs),
      watched_(gangs.count()) {}

void HangWatch::heard(NodeIndex node, const Report& report) {
  const JobLedger& ledger = context_.ledger;
  const uint32_t number = ledger.gang_of(node);
  const job::State& state = ledger.gang(number);
  if (state.phase != job::Phase::running || report.attempt != state.attempt) return;
  Gang& gang = watched_[number];
  if (gang.seen.attempt != state.attempt) gang.seen = watchdog::begin(ledger.submission().spec.hangs, state.attempt);
  const auto& rules = ledger.state().rules.ranks;
  for (const RankReport& rank : report.ranks) {
    const bool known = rank.index < rules.size() && rules[rank.index].node == node;
    if (!known) continue;
    if (rank.progress) gang.pace.heard(context_.ports.loop.now(), report.attempt, rank.index, rank.progress->step);
    if (rank.phase != RankPhase::running) {
      watchdog::hear(gang.seen, rank.index, std::nullopt);
      continue;
    }
    watchdog::RankSeen seen{rules[rank.index].name, rank.finding, rank.silent, rank.still, {}, rank.standing};
    if (rank.progress) seen.step = rank.progress->step;
    watchdog::hear(gang.seen, rank.index, std::move(seen));
  }
  if (ledger.on_one_node(number)) {
    gang.seen.waits = report.waits;
    gang.seen.waited = report.waited;
  }
  judge(number);
}

// If the gang's rendezvous is in this process. Only once a heartbeat, since it looks at all ranks to find the missing ones.
void HangWatch::note_open_barrier(uint32_t number) {
  if (context_.ledger.on_one_node(number)) return;
  Gang& gang = watched_[number];
  gang.seen.waits.clear();
  gang.seen.waited = Duration(0);
  const auto open = gangs_.longest_open(number);
  if (!open) return;
  gang.seen.waits = open->sentence;
  gang.seen.waited = context_.ports.loop.now() - open->since;
}

void HangWatch::beat() {
  for (uint32_t gang = 0; gang < watched_.size(); ++gang) beat(gang);
}

void HangWatch::beat(uint32_t number) {
  const job::State& state = context_.ledger.gang(number);
  Gang& gang = watched_[number];
  if (state.phase != job::Phase::running || !state.all_running || gang.seen.attempt != state.attempt) return;
  note_open_barrier(number);
  for (const auto& [index, node] : context_.nodes.all()) {
    const bool heard = node.channel && node.silent <= context_.nodes.beats_between_levels(node);
    if (!heard && context_.ledger.gang_of(index) == number) return;
  }
  watchdog::beat(gang.seen, kHeartbeat);
  judge(number);
}

void HangWatch::judge(uint32_t number) {
  watchdog::Verdicts verdicts = watchdog::judge(watched_[number].seen, context_.ledger.now());
  CoordinatorCore& core = context_.core;
  const std::shared_ptr<const bool> alive = core.alive();
  for (job::Judged& verdict : verdicts.standing) {
    verdict.gang = number;
    if (*alive) core.happen(verdict);
  }
  if (!*alive) return;
  watched_[number].examine = verdicts.examine;
  for (const job::Judged& verdict : over(number, verdicts.standing)) {
    if (*alive) core.happen(verdict);
  }
}

// The findings of the job that are over. Unknown, and therefore not over: a rank without a report yet, as after a takeover, and
// a hung gang that has made no step yet.
std::vector<job::Judged> HangWatch::over(uint32_t number, const std::vector<job::Judged>& findings) const {
  const job::State& state = context_.ledger.gang(number);
  const Gang& gang = watched_[number];
  std::vector<job::Judged> over;
  for (const auto& [own, hang] : state.hangs) {
    const uint32_t rank = own + state.rules.first_rank;
    if (has_finding(findings, rank) || gang.seen.ranks.count(rank) == 0) continue;
    over.push_back({gang.seen.attempt, rank, job::HangKind::none, hang.since, "", "", number});
  }
  const job::HangKind kind = state.gang_hang.kind;
  const bool unknown = kind == job::HangKind::none || (kind == job::HangKind::hung && gang.seen.steps == 0);
  if (!unknown && !has_finding(findings, std::nullopt) && !gang.examine)
    over.push_back({gang.seen.attempt, std::nullopt, job::HangKind::none, state.gang_hang.since, "", "", number});
  return over;
}

bool HangWatch::examines(NodeIndex node, Attempt attempt) const {
  const Gang& gang = watched_[context_.ledger.gang_of(node)];
  return gang.examine && gang.seen.attempt == attempt;
}

void HangWatch::add_to(JobView& view) const {
  for (uint32_t number = 0; number < watched_.size(); ++number) {
    const watchdog::Pace& pace = watched_[number].pace;
    if (pace.attempt() != context_.ledger.gang(number).attempt) continue;
    for (const auto& [rank, permille] : pace.permille()) {
      if (rank < view.ranks.size()) view.ranks[rank].pace = permille;
    }
  }
}

}  // namespace muster
