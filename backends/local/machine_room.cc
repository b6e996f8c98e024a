// SPDX-License-Identifier: Apache-2.0
#include "backends/local/machine_room.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/job/plan/numa_binding.h"
#include "core/job/plan/visible_gpus.h"

namespace muster {
namespace {

// To read the inventory takes milliseconds, with GPUs seconds. It changes rarely.
constexpr Duration kInventoryLifetime = std::chrono::seconds(30);

// The message for a job that would fit if its CUDA_VISIBLE_DEVICES did not hide GPUs.
Status hidden(const Status& shortage, const std::string& value, const Inventory& visible, const Inventory& machine) {
  return Status(shortage.code(), shortage.message() + "; CUDA_VISIBLE_DEVICES=\"" + escaped(value) +
                                     "\" limits the job to " + std::to_string(visible.gpus.size()) + " of " +
                                     count_of(machine.gpus.size(), "GPU"));
}

// `auto` and MIN..MAX refer to the whole machine, not to what is free now, so their values are taken from the plan on the whole
// machine. NUMA binding is planned on the whole machine, too, so the copy has none.
JobSpec fixed_counts(JobSpec spec, const Plan& whole) {
  spec.torch.numa_binding = NumaBinding::none;
  for (const PlannedRank& rank : whole.ranks) {
    GroupSpec& group = spec.groups[rank.group];
    group.min_nodes = group.max_nodes = rank.group_nodes;
    group.workers = {false, rank.local_size};
    group.worker.gpus = {false, static_cast<uint32_t>(rank.gpus.size())};
  }
  return spec;
}

template <typename T>
bool meet(const std::set<T>& a, const std::set<T>& b) {
  return std::any_of(a.begin(), a.end(), [&](const T& each) { return b.count(each) > 0; });
}

}  // namespace

const Inventory& MachineRoom::inventory() {
  const TimePoint now = loop_.now();
  if (!inventory_ || now - looked_at_ > kInventoryLifetime) {
    inventory_ = machine_.inventory();
    looked_at_ = now;
  }
  return *inventory_;
}

Result<Plan> MachineRoom::plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin) {
  Inventory machine = inventory();
  machine.gpus = visible_gpus(machine.gpus, origin.cuda_visible_devices);
  Result<Plan> whole = plan_on_one_machine(spec, machine);
  if (!whole.ok() && plan_on_one_machine(spec, inventory()).ok()) {
    return hidden(whole.status(), origin.cuda_visible_devices.value_or(""), machine, inventory());
  }
  if (!whole.ok() || held.empty()) return whole;
  const Inventory free = without(machine, held);
  Result<Plan> now = plan_on_one_machine(fixed_counts(spec, *whole), free);
  if (!now.ok()) return Status(Code::unavailable, shortage(needs_of(*whole), machine, free, held));
  const Status bound = bind_beside_gpus(spec.torch.numa_binding, machine, *now);
  if (!bound.ok()) return bound;
  return now;
}

// True if the job was ours and has ended. Its agent may still report the job until it has exited; the next agent waits for the devices.
bool MachineRoom::is_over(const std::string& job) const {
  const Result<JobId> id = JobId::parse(job);
  return ours_.count(job) > 0 && (!id.ok() || claims_.count(*id) == 0);
}

Room MachineRoom::room(bool gpus) {
  Room room{inventory(), {}};
  const std::vector<MachineShare> told = leases_.told();
  room.others = holders_of(told);
  std::erase_if(room.others, [&](const Holder& other) { return ours_.count(other.job) > 0; });
  if (!gpus || room.machine.gpus.empty()) return room;
  const std::vector<Holder> outside = strangers_on(machine_.gpu_users(), told);
  room.others.insert(room.others.end(), outside.begin(), outside.end());
  return room;
}

Status MachineRoom::claim(const JobOnNodes& claimed) {
  const JobId& job = claimed.job;
  ours_.insert(job.text());
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
        return "resources that " + name_of(share) + " has just taken";
    }
    const bool too_much = inventory().memory_bytes && memory > *inventory().memory_bytes;
    return mine.claim.memory_bytes > 0 && too_much ? "memory that another job has just taken" : "";
  };
  auto lease = claimed.anyway ? leases_.tell(mine) : leases_.claim(mine, refusal);
  if (lease.ok()) claims_[job] = std::move(*lease);
  return lease.status();
}

}  // namespace muster
