// SPDX-License-Identifier: Apache-2.0
#include "core/machine/job/state.h"

#include <algorithm>

#include "core/job/plan/device_lease.h"
#include "core/machine/job/decision.h"

namespace muster::job {

std::string_view to_string(Phase phase) {
  switch (phase) {
    case Phase::queued: return "queued";
    case Phase::placing: return "placing";
    case Phase::running: return "running";
    case Phase::stopping: return "stopping";
    case Phase::backoff: return "backoff";
    case Phase::done: return "done";
  }
  return "unknown";
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::none: return "none";
    case Outcome::succeeded: return "succeeded";
    case Outcome::failed: return "failed";
    case Outcome::cancelled: return "cancelled";
  }
  return "unknown";
}

std::string_view to_string(Timer timer) {
  switch (timer) {
    case Timer::queue: return "queue";
    case Timer::start: return "start";
    case Timer::run: return "run";
    case Timer::backoff: return "backoff";
    case Timer::stop: return "stop";
    case Timer::last_call: return "last-call";
    case Timer::unreachable: return "unreachable";
    case Timer::setup: return "setup";
  }
  return "unknown";
}

std::string_view to_string(HangKind kind) {
  switch (kind) {
    case HangKind::none: return "none";
    case HangKind::stopped: return "stopped";
    case HangKind::stuck: return "stuck";
    case HangKind::waiting: return "waiting";
    case HangKind::quiet: return "quiet";
    case HangKind::hung: return "hung";
  }
  return "none";
}

uint32_t& Rules::RankCounts::of(uint32_t group) {
  if (by_group.size() <= group) by_group.resize(group + 1);
  return by_group[group];
}

void Rules::RankCounts::add(const RankCounts& other) {
  for (uint32_t group = 0; group < other.by_group.size(); ++group) of(group) += other.by_group[group];
}

void NodeCounts::add(const NodeState& node) {
  up += node.phase == NodeState::Phase::up ? 1 : 0;
  quiet += node.quiet ? 1 : 0;
  unreachable += node.unreachable ? 1 : 0;
  prepared += node.prepared ? 1 : 0;
  taken += node.taken ? 1 : 0;
}

void NodeCounts::add(const NodeCounts& other) {
  up += other.up;
  quiet += other.quiet;
  unreachable += other.unreachable;
  prepared += other.prepared;
  taken += other.taken;
}

void RankCounts::add(const RankState& rank) {
  const bool has_exited = rank.phase == RankPhase::exited;
  run += rank.phase >= RankPhase::running ? 1 : 0;
  exited += has_exited ? 1 : 0;
  succeeded += has_exited && rank.exit.success() ? 1 : 0;
}

void RankCounts::add(const RankCounts& other) {
  run += other.run;
  exited += other.exited;
  succeeded += other.succeeded;
}

Cause lost(NodeIndex node, const std::string& sentence) {
  Cause cause;
  cause.sentence = sentence;
  cause.node = node;
  return cause;
}

Rules rules_of(const JobSpec& spec, const Plan& plan, uint64_t seed) {
  Rules rules;
  for (const PlannedNode& node : plan.nodes) rules.nodes.push_back(node.host);
  for (const PlannedRank& rank : plan.ranks) rules.ranks.push_back({rank_name(spec, rank), rank.node, rank.group});
  for (const GroupSpec& group : spec.groups) {
    rules.groups.push_back(group.success);
    rules.group_names.push_back(group.name);
  }
  rules.restarts = spec.restarts;
  rules.timeouts = spec.timeouts;
  rules.hangs = spec.hangs;
  rules.seed = seed;
  rules.membership = plan.membership;
  const bool leases = leases_before_ranks(spec) && std::any_of(plan.ranks.begin(), plan.ranks.end(),
                                                               [](const auto& rank) { return !rank.gpus.empty(); });
  rules.sets_up = needs_setup(spec) && !plan.membership;
  rules.shared_world = spec.world == World::shared;
  rules.prepares = rules.sets_up || (leases && !plan.membership);
  return rules;
}

}  // namespace muster::job
