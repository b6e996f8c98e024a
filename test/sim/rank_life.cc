// SPDX-License-Identifier: Apache-2.0
#include "test/sim/rank_life.h"

#include <algorithm>

namespace muster::sim {
namespace {

using std::chrono::milliseconds;
using Kind = RendezvousCall::Kind;

constexpr uint32_t kTurns = 12;

// Every rank of a world makes the same calls, so that barriers complete.
RendezvousCall call_of(Random random, const Launch& launch, uint32_t turn) {
  static constexpr Kind kKinds[] = {Kind::set,    Kind::get,  Kind::wait,  Kind::add,     Kind::compare_and_set,
                                    Kind::remove, Kind::list, Kind::fence, Kind::barrier, Kind::barrier};
  for (uint32_t i = 0; i < turn; ++i) random.next();
  RendezvousCall call;
  call.kind = kKinds[random.below(std::size(kKinds))];
  const bool is_barrier = call.kind == Kind::barrier || call.kind == Kind::fence;
  call.key = (is_barrier ? "meet-" + std::to_string(turn) : "key-" + std::to_string(turn % 3));
  call.value = std::to_string(launch.rank);
  call.amount = 1;
  if (call.kind == Kind::wait || is_barrier) call.timeout = std::chrono::seconds(1 + random.below(20));
  return call;
}

}  // namespace

uint64_t mixed(uint64_t seed, const std::string& text) {
  for (const char c : text) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return seed;
}

Random RankLife::random_of(const Launch& launch, uint64_t salt) const {
  const std::string rank = launch.job + "/" + std::to_string(launch.attempt) + "/" + std::to_string(launch.index);
  return Random(mixed(plan_.seed * 31 + salt, rank));
}

const JobPlan& RankLife::job_of(const Launch& launch) const {
  for (const JobPlan& job : plan_.jobs) {
    if (job.spec.name == launch.job) return job;
  }
  return plan_.jobs.front();
}

// As in a broken collective: ranks whose peer fails wait for it until they are stopped.
bool RankLife::waits_for_ever(const Launch& launch) const {
  if (job_of(launch).spec.groups.size() > 1) return false;  // a failure may not stop the job then
  for (uint32_t index = 0; index < launch.world_size; ++index) {
    Launch peer;
    peer.job = launch.job;
    peer.attempt = launch.attempt;
    peer.index = index;
    const Program program = program_of(peer);
    if (index != launch.index && (!program.exit.success() || !program.spawn.ok())) return true;
  }
  return false;
}

Program RankLife::program_of(const Launch& launch) const {
  const RankMix& mix = job_of(launch).ranks;
  Random random = random_of(launch, 1);
  const auto hundredths = [&](uint32_t share) { return random.below(100) < share; };
  Program program;
  program.runs = Duration(random.below(static_cast<uint64_t>(mix.longest_run.count())));
  if (hundredths(mix.fails)) program.exit = exited_with(1 + static_cast<int>(random.below(2)));
  if (hundredths(mix.cannot_start)) program.spawn = Status(Code::not_found, "train was not found");
  program.ignores_term = hundredths(mix.ignores_term);
  program.daemons = hundredths(mix.leaves_daemons) ? 1 : 0;
  program.dies_slowly = Duration(random.below(static_cast<uint64_t>(mix.longest_death.count()) + 1));
  return program;
}

Program RankLife::script(const Launch& launch) const {
  Program program = program_of(launch);
  if (program.exit.success() && waits_for_ever(launch)) program.runs = std::chrono::hours(1000);
  return program;
}

void RankLife::write(const SimProcesses::Process& process, const std::string& text) {
  if (process.stdout_path.empty()) return;
  (plan_.shares_files ? world_.output : process.host->output).files[process.stdout_path] += text;
  written_[process.stdout_path] += text;
}

void RankLife::happened(const std::string& what, ProcessHandle handle, const SimProcesses::Process& process) {
  if (process.daemon) return;
  write(process, what + " of rank " + std::to_string(process.launch.index) + "\n");
  if (what == "spawn" && job_of(process.launch).ranks.meets) call(handle, 0);
}

std::string RankLife::lost_output() const {
  for (const auto& [path, text] : written_) {
    const auto found = world_.output.files.find(path);
    const std::string here = found == world_.output.files.end() ? "" : found->second;
    const bool calm = plan_.calm || plan_.shares_files;
    if (here != text && (calm || !text.starts_with(here) || !stays(path, text))) return path;
  }
  return "";
}

// Output that could not be uploaded is still on its host.
bool RankLife::stays(const std::string& path, const std::string& text) const {
  return std::any_of(world_.hosts.begin(), world_.hosts.end(), [&](const SimHost& host) {
    const auto found = host.output.files.find(path);
    return found != host.output.files.end() && found->second == text;
  });
}

void RankLife::call(ProcessHandle handle, uint32_t turn) {
  const auto found = world_.processes.alive().find(handle);
  if (found == world_.processes.alive().end() || turn >= kTurns) return;
  HostLoop& kernel = *found->second.host->kernel;
  Random pace = random_of(found->second.launch, 2 + turn);
  kernel.at(kernel.now() + milliseconds(20 + pace.below(3000)), [this, handle, turn] {
    const auto alive = world_.processes.alive().find(handle);
    if (alive == world_.processes.alive().end()) return;
    const auto agent = static_cast<int64_t>(alive->second.agent);
    if (world_.agents.all().count(agent) == 0) return;
    const Launch& launch = alive->second.launch;
    const RendezvousCall call = call_of(Random(mixed(plan_.seed, launch.job + launch.group)), launch, turn);
    asked_[{launch.job_id + launch.group, launch.attempt, turn}].insert(launch.rank);
    world_.agents.door(agent).ask({launch.attempt, launch.index, call},
                                  [this, handle, turn, call](const WorkerAnswer& answer) {
                                    answered(handle, turn, call, std::get<RendezvousAnswer>(answer));
                                  });
  });
}

void RankLife::answered(ProcessHandle handle, uint32_t turn, const RendezvousCall& asked,
                        const RendezvousAnswer& answer) {
  const auto alive = world_.processes.alive().find(handle);
  if (alive == world_.processes.alive().end()) return;
  const Launch& launch = alive->second.launch;
  const bool is_barrier = asked.kind == Kind::barrier || asked.kind == Kind::fence;
  const bool shared = launch.environment.count("SHARED_WORLD") > 0;
  if (is_barrier && answer.status.ok() && !shared) {
    const size_t came = asked_[{launch.job_id + launch.group, launch.attempt, turn}].size();
    if (came != launch.world_size) breaches_.push_back(launch.job + ": a barrier opened before all ranks had arrived");
    if (asked.kind == Kind::fence && answer.values.size() != launch.world_size)
      breaches_.push_back(launch.job + ": a fence returned the values of some ranks only");
  }
  // The coordinator went away: repeat the call.
  call(handle, answer.status.code() == Code::unavailable ? turn : turn + 1);
}

}  // namespace muster::sim
