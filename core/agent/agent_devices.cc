// Agent, the start of its ranks: with what is warm, and with what they have of the machine, leased and told to all others.
#include "core/agent/agent.h"

namespace muster {
namespace {

// How long GPUs may still be held by whom they were taken from: longer than a backend lets a dismissed agent stay.
constexpr Duration kLeasePatience = std::chrono::seconds(15);
constexpr Duration kLeaseRetry = std::chrono::milliseconds(100);

}  // namespace

void Agent::warm_up(const Wish& wish) {
  if (!wish.warm) {
    ports_.warm.prepare({}, WarmTask(), [](const std::string&) {});  // nothing of an earlier job's
    return start_ranks(wish.tasks, ports_.loop.now() + kLeasePatience);
  }
  const auto imported = std::make_shared<bool>(false);
  const auto ready = [=, this, alive = alive_, attempt = attempt_, tasks = wish.tasks](const std::string& remark) {
    if (!*alive || attempt != attempt_) return;
    *imported = true;
    if (!remark.empty()) trouble_ = remark;
    start_ranks(tasks, ports_.loop.now() + kLeasePatience);
  };
  const TimePoint begun = ports_.loop.now();
  ports_.warm.prepare(ranks_->requests(), *wish.warm, ready);
  if (!*imported) importing_ = begun;
}

// The agent of a job that has ended may be about to leave with the devices that we were given.
void Agent::start_ranks(const std::vector<RankTask>& tasks, TimePoint patience) {
  const std::string refusal = lease_gpus(tasks);
  if (refusal.empty() || ports_.loop.now() >= patience) {
    if (refusal.empty()) tell_share(tasks);
    return ranks_->start(refusal);
  }
  lease_timer_ =
      ports_.loop.at(ports_.loop.now() + kLeaseRetry, [this, tasks, patience] { start_ranks(tasks, patience); });
}

// Told as soon as they are held, so that others wait for us in their queues.
void Agent::devices_changed() {
  Claim claim;
  claim.gpus.insert(devices_->gpus().begin(), devices_->gpus().end());
  devices_->held() ? tell_share(claim) : let_go();
  changed();
}

// While ranks live, so that others hear of it though our controller is away. Nothing of ours depends on it.
void Agent::tell_share(const std::vector<RankTask>& tasks) {
  Claim claim;
  for (const RankTask& task : tasks) {
    claim.gpus.insert(task.gpus.begin(), task.gpus.end());
    if (!task.shares_cpus) claim.cpus.insert(task.cpus.begin(), task.cpus.end());
    claim.memory_bytes += task.memory_limit_bytes;
  }
  if (!tasks.empty()) tell_share(claim);
}

void Agent::tell_share(const Claim& claim) {
  if (claim == shared_) return;
  MachineShare share;
  share.claim = claim;
  share.job = bind_->job.text();
  share.name = bind_->job_name;
  share.whole = false;
  auto told = ports_.leases.tell(share);
  if (!told.ok()) return ports_.log.info("what the job has here is told to nobody: " + told.status().message());
  shared_ = share.claim;
  share_ = std::move(*told);
}

// Why the ranks may not have their GPUs; empty: they may. The old lease goes first: its attempt is quiet.
std::string Agent::lease_gpus(const std::vector<RankTask>& tasks) {
  if (devices_) {
    devices_->use();
    return "";
  }
  std::vector<std::string> uuids;
  for (const RankTask& task : tasks) uuids.insert(uuids.end(), task.gpus.begin(), task.gpus.end());
  gpus_.reset();
  if (uuids.empty()) return "";
  Result<std::unique_ptr<MachineLease>> lease = ports_.leases.lease_gpus(uuids);
  if (!lease.ok()) return lease.status().message();
  gpus_ = std::move(*lease);
  return "";
}

// Nothing is left that uses it: what the job keeps for its next attempt its controller claims.
void Agent::let_go() {
  gpus_.reset();
  share_.reset();
  shared_ = Claim();
}

}  // namespace muster
