#include "core/agent/provision/rank_devices.h"

namespace muster {
namespace {

// How long GPUs may still be held by the process that they were taken from: longer than a backend lets a dismissed agent stay.
constexpr Duration kLeasePatience = std::chrono::seconds(15);
constexpr Duration kLeaseRetry = std::chrono::milliseconds(100);

Claim claim_of(const std::vector<RankTask>& tasks) {
  Claim claim;
  for (const RankTask& task : tasks) {
    claim.gpus.insert(task.gpus.begin(), task.gpus.end());
    if (!task.shares_cpus) claim.cpus.insert(task.cpus.begin(), task.cpus.end());
    claim.memory_bytes += task.memory_limit_bytes;
  }
  return claim;
}

}  // namespace

void RankDevices::bind(const JobId& job, const std::string& name) {
  job_ = job.text();
  name_ = name;
}

void RankDevices::acquire(std::vector<RankTask> tasks, DeviceHold* held,
                          std::function<void(const std::string& refusal)> done) {
  cancel();
  tasks_ = std::move(tasks);
  held_ = held;
  done_ = std::move(done);
  patience_ = ports_.loop.now() + kLeasePatience;
  attempt();
}

void RankDevices::cancel() {
  ports_.loop.cancel(timer_);
  done_ = nullptr;
}

// The agent of a job that has ended may be about to leave with the devices that this one was given.
void RankDevices::attempt() {
  const std::string refusal = lease();
  if (!refusal.empty() && ports_.loop.now() < patience_) {
    timer_ = ports_.loop.at(ports_.loop.now() + kLeaseRetry, [this] { attempt(); });
    return;
  }
  // While ranks live, so that others hear of it though the controller is away. Nothing of this job depends on it.
  if (refusal.empty() && !tasks_.empty()) claim(claim_of(tasks_));
  tasks_.clear();
  std::exchange(done_, nullptr)(refusal);
}

// Why the ranks may not have their GPUs; empty: they may. The old lease goes first: its attempt is quiet.
std::string RankDevices::lease() {
  if (held_ != nullptr) {
    held_->use();
    return "";
  }
  std::vector<std::string> uuids;
  for (const RankTask& task : tasks_) uuids.insert(uuids.end(), task.gpus.begin(), task.gpus.end());
  gpus_.reset();
  if (uuids.empty()) return "";
  Result<std::unique_ptr<MachineLease>> lease = ports_.leases.lease_gpus(uuids);
  if (!lease.ok()) return lease.status().message();
  gpus_ = std::move(*lease);
  return "";
}

void RankDevices::claim(const Claim& claim) {
  if (claim == claimed_) return;
  MachineShare share;
  share.claim = claim;
  share.job = job_;
  share.name = name_;
  share.whole = false;
  auto told = ports_.leases.tell(share);
  if (!told.ok()) return ports_.log.info("what the job has here is told to nobody: " + told.status().message());
  claimed_ = share.claim;
  share_ = std::move(*told);
}

void RankDevices::release() {
  gpus_.reset();
  share_.reset();
  claimed_ = Claim();
}

}  // namespace muster
