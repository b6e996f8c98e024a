#include "test/sim/invariants.h"

#include <utility>

namespace muster::sim {
namespace {

constexpr size_t kMostBreaches = 5;

}  // namespace

void Invariants::breach(TimePoint now, const std::string& what) {
  if (breaches_.size() < kMostBreaches) breaches_.push_back(format_utc(now) + " " + what);
}

void Invariants::check(TimePoint now, const SimProcesses& processes, const SimStore& store) {
  const bool ended = std::exchange(changes_, store.changes()) != store.changes();
  const bool started = std::exchange(launches_, processes.launches().size()) != processes.launches().size();
  if (ended) check_ends(now, store);
  if (started) check_starts(now, processes);
  if (ended || started) check_attempts(now, processes);
}

void Invariants::check_attempts(TimePoint now, const SimProcesses& processes) {
  std::map<std::string, Attempt> alive;
  for (const auto& [handle, process] : processes.alive()) {
    const std::string& job = process.launch.environment.at("MUSTER_JOB_ID");
    const auto [found, is_new] = alive.emplace(job, process.launch.attempt);
    if (!is_new && found->second != process.launch.attempt) {
      breach(now, process.launch.job + ": attempts " + std::to_string(found->second) + " and " +
                      std::to_string(process.launch.attempt) + " are alive at once");
    }
    if (ended_.count(job) > 0) breach(now, process.launch.job + ": a process is alive after the job's end");
  }
}

void Invariants::check_starts(TimePoint now, const SimProcesses& processes) {
  for (const auto& [key, times] : processes.started()) {
    if (times > 1) breach(now, key + " was started " + std::to_string(times) + " times");
  }
}

void Invariants::check_ends(TimePoint now, const SimStore& store) {
  for (const JobRecord& record : store.list()) {
    if (record.ended == TimePoint()) {
      if (ended_.count(record.id.text()) > 0) breach(now, record.name + " had ended and is " + record.state);
      continue;
    }
    const auto [found, is_new] = ended_.emplace(record.id.text(), record.state);
    if (!is_new && found->second != record.state) {
      breach(now, record.name + " had ended " + found->second + " and is " + record.state);
    }
  }
}

}  // namespace muster::sim
