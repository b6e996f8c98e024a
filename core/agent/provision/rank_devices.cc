// SPDX-License-Identifier: Apache-2.0
#include "core/agent/provision/rank_devices.h"

namespace muster {
namespace {

// The longest wait for GPUs that another process still holds: longer than a backend waits for a dismissed agent to exit.
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

// The agent of an ended job may still hold the devices for a short time.
void RankDevices::attempt() {
  const std::string refusal = lease();
  if (!refusal.empty() && ports_.loop.now() < patience_) {
    timer_ = ports_.loop.at(ports_.loop.now() + kLeaseRetry, [this] { attempt(); });
    return;
  }
  // The claim is published by the agent, so that it also holds without a controller. This job does not depend on it.
  if (refusal.empty() && !tasks_.empty()) claim(claim_of(tasks_));
  tasks_.clear();
  std::exchange(done_, nullptr)(refusal);
}

// Returns why the ranks may not have their GPUs; empty: they may. The lease of the previous attempt is released first, since
// that attempt is quiet.
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
  if (!told.ok())
    return ports_.log.info("cannot tell other users which devices the job has: " + told.status().message());
  claimed_ = share.claim;
  share_ = std::move(*told);
}

void RankDevices::release() {
  gpus_.reset();
  share_.reset();
  claimed_ = Claim();
}

}  // namespace muster
