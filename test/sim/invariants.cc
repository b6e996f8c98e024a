// SPDX-License-Identifier: Apache-2.0
#include "test/sim/invariants.h"

#include <utility>

#include "core/attempt/secrets_file.h"

namespace muster::sim {
namespace {

constexpr size_t kMostBreaches = 5;

std::string shown(const Launch& launch) {
  return launch.job + " attempt " + std::to_string(launch.attempt) + " rank " + std::to_string(launch.index);
}

// The gang of a rank: a job, or each of its groups.
std::pair<std::string_view, std::string_view> gang_of(const Launch& launch) {
  const bool apart = launch.environment.count("GROUPS_APART") > 0;
  return {launch.job_id, apart ? std::string_view(launch.group) : std::string_view()};
}

bool keeps_secrets(const SimStore& store, const JobId& job) {
  const Result<std::string> file = store.read_private(job, kSecretsFile);
  return file.ok() && !file->empty();
}

}  // namespace

void Invariants::breach(TimePoint now, const std::string& what) {
  if (breaches_.size() < kMostBreaches) breaches_.push_back(format_utc(now) + " " + what);
}

void Invariants::check(TimePoint now, const SimProcesses& processes, const SimStore& store) {
  if (store.lost_synced_lines()) return;
  const bool ended = std::exchange(changes_, store.changes()) != store.changes();
  const bool started = launches_ != processes.launches().size();
  if (ended) check_ends(now, store);
  if (started) check_starts(now, processes);
  if (ended || started) check_ended(now, processes);
  if (started) check_alive(now, processes);
}

void Invariants::host_woke(TimePoint now, const SimProcesses& processes, const SimStore& store) {
  if (!store.lost_synced_lines()) check_alive(now, processes);
}

bool Invariants::runs(TimePoint now, const SimProcesses::Process& process) const {
  const HostClock& clock = process.host->clock;
  return !ignores_sleeping_hosts_ || (!clock.asleep() && now - clock.woke() > kWaking);
}

void Invariants::check_alive(TimePoint now, const SimProcesses& processes) {
  std::map<std::pair<std::string_view, std::string_view>, const SimProcesses::Process*> attempts;
  std::set<std::pair<std::string_view, uint32_t>> ranks;
  for (const auto& [handle, process] : processes.alive()) {
    const bool helper = process.daemon && !process.program.daemons_hold;  // may finish beside the next attempt
    if (helper || !runs(now, process)) continue;
    const auto& other = *attempts.emplace(gang_of(process.launch), &process).first->second;
    if (other.launch.attempt != process.launch.attempt) {
      breach(now, process.launch.job + ": attempts " + std::to_string(other.launch.attempt) + " and " +
                      std::to_string(process.launch.attempt) + " are alive at once, on " + other.host->name + " and " +
                      process.host->name);
    }
    const bool is_new = process.daemon || ranks.emplace(process.launch.job_id, process.launch.index).second;
    if (!is_new) breach(now, shown(process.launch) + " is alive twice");
  }
}

void Invariants::check_ended(TimePoint now, const SimProcesses& processes) {
  for (const auto& [handle, process] : processes.alive()) {
    const Launch& launch = process.launch;
    if (!runs(now, process) || ignored_nodes_.count({launch.job, launch.node}) > 0) continue;
    if (ended_.count(launch.job_id) > 0) breach(now, shown(process.launch) + " is alive after its job's end");
  }
}

void Invariants::check_starts(TimePoint now, const SimProcesses& processes) {
  const std::vector<Launch>& launches = processes.launches();
  for (; launches_ < launches.size(); ++launches_) {
    const Launch& launch = launches[launches_];
    if (launch.rank >= launch.world_size) breach(now, shown(launch) + " is beyond its world");
    const bool shared = launch.environment.count("SHARED_WORLD") > 0;
    const bool is_new = ranks_.emplace(launch.job_id, launch.attempt, shared ? "" : launch.group, launch.rank).second;
    if (!is_new) breach(now, shown(launch) + " was started again");
  }
}

void Invariants::check_ends(TimePoint now, const SimStore& store) {
  for (const JobRecord& record : store.list()) {
    if (record.ended == TimePoint()) {
      if (ended_.count(record.id.text()) > 0) breach(now, record.name + " had ended and is " + record.state);
      continue;
    }
    if (keeps_secrets(store, record.id)) breach(now, record.name + " had ended and still has its environment file");
    const auto [found, is_new] = ended_.emplace(record.id.text(), record.state);
    if (!is_new && found->second != record.state) {
      breach(now, record.name + " had ended " + found->second + " and is " + record.state);
    }
  }
}

void Invariants::check(TimePoint now, const watch::JobStep& step) {
  if (step.restarts_after > step.restarts_before + 1) breach(now, "a step counted several restarts");
  // Each gang may have counted one restart whose attempt has not begun.
  if (step.restarts_after >= step.attempt_after + step.gangs) breach(now, "there are more restarts than attempts");
  if (step.attempt_after < step.attempt_before || step.attempt_after > step.attempt_before + 1)
    breach(now, "attempts were not counted one by one");
  if (step.begins > 1) breach(now, "a step began several attempts");
}

}  // namespace muster::sim
