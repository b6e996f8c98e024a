// What others have of this machine: jobs of other controllers, and processes outside muster.
#include <algorithm>

#include "backends/local/local_backend.h"

namespace muster {
namespace {

template <typename T>
bool meet(const std::set<T>& a, const std::set<T>& b) {
  return std::any_of(a.begin(), a.end(), [&](const T& each) { return b.count(each) > 0; });
}

}  // namespace

// An agent that is about to leave tells of its job until it has left; who comes next waits for its devices there.
bool LocalBackend::is_over(const std::string& job) const {
  const Result<JobId> id = JobId::parse(job);
  return ours_.count(job) > 0 && (!id.ok() || claims_.count(*id) == 0);
}

Room LocalBackend::room(bool gpus) {
  Room room{inventory(), {}};
  const std::vector<MachineShare> told = ports_.leases.told();
  room.others = holders_of(told);
  std::erase_if(room.others, [&](const Holder& other) { return ours_.count(other.job) > 0; });
  if (!gpus || room.machine.gpus.empty()) return room;
  const std::vector<Holder> outside = strangers_on(ports_.machine.gpu_users(), told);
  room.others.insert(room.others.end(), outside.begin(), outside.end());
  return room;
}

Status LocalBackend::claim(const JobOnNodes& claimed) {
  const JobId& job = claimed.job;
  ours_.insert(job.text());
  if (claimed.warm) warm_.insert(job);
  MachineShare mine;
  mine.job = job.text();
  mine.name = claimed.name;
  mine.claim = claim_of(claimed.plan);
  if (mine.claim.empty()) return Status();
  const auto refusal = [&](const std::vector<MachineShare>& told) -> std::string {
    uint64_t memory = mine.claim.memory_bytes;
    for (const MachineShare& share : told) {
      if (share.job == mine.job || is_over(share.job)) continue;
      memory += share.claim.memory_bytes;
      if (meet(share.claim.gpus, mine.claim.gpus) || meet(share.claim.cpus, mine.claim.cpus))
        return "what " + name_of(share) + " has just taken";
    }
    const bool too_much = inventory().memory_bytes && memory > *inventory().memory_bytes;
    return mine.claim.memory_bytes > 0 && too_much ? "memory that another job has just taken" : "";
  };
  auto lease = claimed.anyway ? ports_.leases.tell(mine) : ports_.leases.claim(mine, refusal);
  if (lease.ok()) claims_[job] = std::move(*lease);
  return lease.status();
}

}  // namespace muster
