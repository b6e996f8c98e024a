// SPDX-License-Identifier: Apache-2.0
#include "core/journal/job_fold.h"

#include <algorithm>
#include <utility>

#include "core/job/file/job_yaml.h"
#include "core/journal/bounded_list.h"
#include "core/port/output_messages.h"

namespace muster {
namespace {

constexpr size_t kMostTroubles = 5;
constexpr size_t kMostEvents = 4000;

// Exit codes of `run` and `wait` (docs/reference/exit-codes.md).
int exit_code_of(const job::State& state) {
  if (state.outcome == job::Outcome::succeeded) return 0;
  if (state.outcome == job::Outcome::cancelled) return 130;
  return state.cause && state.cause->timed_out ? 7 : 1;
}

// That of the rank that failed, as a shell reports it.
int propagated_code_of(const job::State& state) {
  const bool failed = state.outcome == job::Outcome::failed;  // the cause may be that of an earlier attempt
  if (!failed || !state.cause || !state.cause->rank || state.cause->hung) return exit_code_of(state);
  return shell_code(state.cause->exit);
}

// The same ranks on the same nodes; devices may differ.
bool same_shape(const Plan& a, const Plan& b) {
  const auto same_node = [](const PlannedNode& x, const PlannedNode& y) {
    return x.node == y.node && x.group == y.group && x.ranks == y.ranks;
  };
  const auto same_rank = [](const PlannedRank& x, const PlannedRank& y) {
    return x.group == y.group && x.rank == y.rank && x.node == y.node;
  };
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(), same_node) &&
         std::equal(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), b.ranks.end(), same_rank);
}

// "rank 1: logs.max is 1 MiB", if the sentence is about dropped output; otherwise empty.
std::string_view dropped_from(std::string_view sentence) {
  const size_t at = sentence.starts_with(kOutputDropped) ? sentence.find(kOfOutput) : sentence.npos;
  return at == sentence.npos ? std::string_view() : sentence.substr(at + kOfOutput.size());
}

}  // namespace

std::string state_name(const job::State& state) {
  return std::string(state.phase == job::Phase::done ? job::to_string(state.outcome) : job::to_string(state.phase));
}

JobFold::JobFold(Submission submission, TimePoint now, std::vector<job::Action>& actions)
    : submission_(std::move(submission)),
      submitted_(now),
      place_{submission_.spec.priority, to_unix_nanos(now),
             submission_.spec.hold ? "its submitter (--hold, `hold: true` or `suspend: true`)" : ""},
      last_time_(now) {
  job::Step first = job::submitted(job::rules_of(submission_.spec, submission_.plan, submission_.seed), now);
  state_ = std::move(first.next);
  actions = std::move(first.actions);
  tell(now, "submitted", first.sentence);
}

Result<JobFold> JobFold::replay(const std::vector<std::string>& lines) {
  if (lines.empty()) return Status(Code::data_loss, "the job's journal is empty");
  const Result<JournalLine> first = decode_line(lines[0]);
  if (!first.ok()) return first.status();
  const auto* submission = std::get_if<Submission>(&first->entry);
  const bool usable = submission != nullptr && !submission->id.empty() && !submission->spec.groups.empty();
  if (!usable) return Status(Code::data_loss, "the job's journal does not begin with its submission");
  std::vector<job::Action> forgotten;
  JobFold fold(*submission, first->time, forgotten);
  for (size_t i = 1; i < lines.size(); ++i) {
    const Result<JournalLine> line = decode_line(lines[i]);
    if (!line.ok()) continue;
    fold.take_entry(line->time, line->entry);
  }
  return fold;
}

void JobFold::take_entry(TimePoint now, const JournalEntry& entry) {
  if (const auto* event = std::get_if<job::Event>(&entry)) {
    if (std::optional<job::Step> step = consider(now, *event)) take(now, *event, std::move(*step));
  } else if (const auto* endpoints = std::get_if<AttemptEndpoints>(&entry)) {
    take(now, *endpoints);
  } else if (const auto* replanned = std::get_if<Replanned>(&entry)) {
    take(now, *replanned);
  } else if (const auto* arranged = std::get_if<Arranged>(&entry)) {
    take(now, *arranged);
  } else if (const auto* remark = std::get_if<Remark>(&entry)) {
    take(now, *remark);
  } else if (const auto* noted = std::get_if<CodeNoted>(&entry)) {
    take(now, *noted);
  } else if (const auto* made = std::get_if<ProgressMade>(&entry)) {
    take(now, *made);
  } else if (const auto* working = std::get_if<Working>(&entry)) {
    take(now, *working);
  }
}

std::optional<job::Step> JobFold::consider(TimePoint now, const job::Event& event) const {
  job::Step step = job::step(state_, now, event);
  if (step.actions.empty() && step.next == state_) return std::nullopt;
  return step;
}

void JobFold::take(TimePoint now, const job::Event& event, job::Step step) {
  const job::State before = std::exchange(state_, std::move(step.next));
  const auto* up = std::get_if<job::NodeUp>(&event);
  if (up != nullptr && !up->role.empty()) roles_[up->node] = up->role;
  note_hosts(before);
  if (up != nullptr && up->code_took > Duration(0))
    attempts_.has_code(job::gang_at(state_, job::gang_of(state_, up->node)).rules.gang, now - up->code_took, now);
  for (uint32_t gang = 0; gang < job::gang_count(state_); ++gang) {
    if (attempts_.take(now, gang, event, job::gang_at(before, gang), job::gang_at(state_, gang))) progress_.reset();
  }
  tell(now, kind_of(event), step.sentence);
}

void JobFold::take(TimePoint now, const AttemptEndpoints& endpoints) {
  if (state_.gangs.empty()) {
    endpoints_ = endpoints;
  } else {
    take_some(endpoints);
  }
  tell(now, "endpoints", "");
}

void JobFold::take(TimePoint now, const Replanned& replanned) {
  if (same_shape(replanned.plan, submission_.plan)) submission_.plan = replanned.plan;
  tell(now, "planned", "");
}

void JobFold::take(TimePoint now, const Arranged& arranged) {
  place_ = arranged.place;
  tell(now, "arranged", arranged.sentence);
}

void JobFold::take(TimePoint now, const CodeNoted& noted) {
  submission_.code_commit = noted.commit;
  tell(now, "code", "");
}

void JobFold::take(TimePoint now, const ProgressMade& made) {
  tell(now, "progress", "");
  for (uint32_t gang = 0; gang < job::gang_count(state_); ++gang) {
    if (made.attempt == job::gang_at(state_, gang).attempt) progress_ = made.progress;
  }
}

void JobFold::take(TimePoint now, const Working& working) {
  tell(now, "working", "");
  if (working.gang < job::gang_count(state_))
    attempts_.works(job::gang_at(state_, working.gang).rules.gang, working, now);
}

bool JobFold::works(uint32_t gang, Attempt attempt) const {
  return attempts_.works(job::gang_at(state_, gang).rules.gang, attempt);
}

bool JobFold::is_over(const BegunAttempt& attempt) const {
  const job::State& gang = job::gang_at(state_, attempt.gang);
  return gang.attempt > attempt.attempt || has_ended(gang);
}

void JobFold::take(TimePoint now, const Remark& remark) {
  tell(now, "remark", remark.sentence);
  if (!remark.trouble) return;
  // A later sentence about the output of a rank has the sum of what its attempt has dropped.
  const std::string_view source = dropped_from(remark.sentence);
  std::erase_if(troubles_, [&](const Trouble& earlier) {
    return !source.empty() && earlier.attempt == state_.attempt && dropped_from(earlier.sentence) == source;
  });
  troubles_.push_back({state_.attempt, remark.sentence});
  if (troubles_.size() > kMostTroubles) troubles_.erase(troubles_.begin());
}

// Replaces the endpoints of the gangs that begin; the other gangs keep theirs.
void JobFold::take_some(const AttemptEndpoints& endpoints) {
  const auto keep = [](auto& kept, const auto& taken) {
    kept.resize(std::max(kept.size(), taken.size()));
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i].port > 0) kept.set(i, taken[i]);
    }
  };
  keep(endpoints_.endpoints, endpoints.endpoints);
  keep(endpoints_.fronts, endpoints.fronts);
  endpoints_.ports.resize(std::max(endpoints_.ports.size(), endpoints.ports.size()));
  for (size_t node = 0; node < endpoints.ports.size(); ++node) {
    if (!endpoints.ports[node].empty()) endpoints_.ports.set(node, endpoints.ports[node]);
  }
  meets_in_.resize(state_.gangs.size());
  for (size_t gang = 0; gang < std::min(meets_in_.size(), endpoints.endpoints.size()); ++gang) {
    if (endpoints.endpoints[gang].port > 0) meets_in_[gang] = endpoints.attempt;
  }
}

bool JobFold::has_endpoints(uint32_t gang, Attempt attempt) const {
  if (state_.gangs.empty()) return endpoints_.attempt == attempt;
  return gang < meets_in_.size() && meets_in_[gang] == attempt;
}

// All restarts, also those that do not count against the limit. A counted restart may not have begun yet.
uint32_t JobFold::restarts() const {
  if (submission_.plan.membership || state_.attempt == 0) return state_.restarts;
  return std::max(state_.restarts, state_.attempt - 1);
}

AttemptPlace JobFold::attempt_place(NodeIndex node) const {
  AttemptPlace place;
  place.attempt = job::attempt_on(state_, node);
  place.restarts = place.attempt > 0 ? place.attempt - 1 - state_.regroupings : 0;
  place.job = submission_.id;
  place.job_name = submission_.name;
  place.endpoints = endpoints_.endpoints;
  place.fronts = endpoints_.fronts;
  place.ports = endpoints_.ports;
  return place;
}

void JobFold::tell(TimePoint now, const std::string& kind, const std::string& sentence) {
  last_time_ = std::max(last_time_, now);
  events_.push_back({++events_told_, now, kind, state_name(state_), state_.attempt, sentence});
  forget_middle(events_, kMostEvents, [](const JobEvent&) { return true; });
}

const Plan& JobFold::plan_of(Attempt attempt) const {
  const auto former = former_plans_.lower_bound(attempt);
  return former == former_plans_.end() ? submission_.plan : former->second;
}

// Makes the plan follow the ranks that the machine assigned.
void JobFold::note_hosts(const job::State& before) {
  const job::Rules& rules = state_.rules;
  if (!rules.membership || (rules.nodes == before.rules.nodes && rules.ranks == before.rules.ranks)) return;
  std::vector<HostShare> hosts;
  for (const std::string& host : rules.nodes) hosts.push_back({host, 0});
  for (const job::Rules::RankRule& rank : rules.ranks) ++hosts[rank.node].ranks;
  for (const PlannedNode& node : submission_.plan.nodes)
    if (node.node < hosts.size()) hosts[node.node].role = node.role;
  for (const auto& [node, role] : roles_)
    if (node < hosts.size()) hosts[node].role = role;
  Plan dealt = plan_of_hosts(hosts, submission_.plan);
  std::swap(submission_.plan, dealt);
  if (state_.attempt > 1) former_plans_.try_emplace(state_.attempt - 1, std::move(dealt));
}

// Adds the current findings, without those of ranks that have ended since.
void JobFold::add_hangs(JobView& view) const {
  std::vector<job::Hang> hangs;
  for (uint32_t gang = 0; gang < job::gang_count(state_); ++gang) {
    const job::Hang& hang = job::gang_at(state_, gang).gang_hang;
    if (hang.kind != job::HangKind::none) hangs.push_back(hang);
  }
  for (const auto& [rank, hang] : state_.hangs) {
    if (state_.ranks[rank].phase != RankPhase::exited) hangs.push_back(hang);
  }
  for (const job::Hang& hang : hangs) {
    view.hang += (view.hang.empty() ? "" : "\n") + hang.sentence;
    view.hang_stack += hang.stack;
  }
}

std::vector<RankView> JobFold::rank_views() const {
  std::vector<RankView> views;
  views.reserve(submission_.plan.ranks.size());
  for (uint32_t i = 0; i < submission_.plan.ranks.size(); ++i) {
    const PlannedRank& planned = submission_.plan.ranks[i];
    RankView view;
    view.index = i;
    view.group = submission_.spec.groups[planned.group].name;
    view.rank = planned.rank;
    view.name = state_.rules.ranks[i].name;
    view.node = planned.node;
    view.host = submission_.plan.nodes[planned.node].host;
    view.phase = state_.ranks[i].phase;
    if (state_.ranks[i].phase == RankPhase::exited) view.exit = state_.ranks[i].exit;
    for (const Gpu& gpu : planned.gpus) view.gpus.push_back(gpu.uuid);
    view.cpus = bound_cpus(planned);
    views.push_back(std::move(view));
  }
  return views;
}

JobView JobFold::view() const {
  JobView view;
  view.id = submission_.id;
  view.name = submission_.name;
  view.state = state_name(state_);
  view.done = state_.phase == job::Phase::done;
  view.sentence = state_.sentence;
  view.priority = place_.priority;
  if (state_.phase == job::Phase::queued) view.held_by = place_.held_by;
  view.framework = to_string(submission_.spec.framework);
  view.backend = submission_.plan.membership ? "typed" : to_string(submission_.spec.backend);
  view.workdir = submission_.spec.workdir;
  view.origin = submission_.origin;
  view.manifest = submission_.manifest;
  view.code_commit = submission_.code_commit;
  view.spec_json = spec_to_json(submission_.spec);
  view.labels = submission_.spec.labels;
  view.attempt = state_.attempt;
  view.restarts = restarts();
  view.restart_limit = state_.rules.restarts.limit;
  const std::vector<PlannedNode>& nodes = submission_.plan.nodes;
  view.nodes = static_cast<uint32_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const PlannedNode& node) { return !node.ranks.empty(); }));
  view.submitted = submitted_;
  view.started = state_.started;
  view.ended = state_.ended;
  view.exit_code = view.done ? exit_code_of(state_) : 0;
  view.propagated_code = view.done ? propagated_code_of(state_) : 0;
  view.ranks = rank_views();
  view.attempts = attempts_.views();
  for (const Trouble& trouble : troubles_) view.troubles.push_back(trouble.sentence);
  view.progress = progress_;
  add_hangs(view);
  return view;
}

}  // namespace muster
