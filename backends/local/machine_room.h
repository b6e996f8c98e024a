// SPDX-License-Identifier: Apache-2.0
// MachineRoom: plans jobs on the free capacity of this machine. Parts of it are held by jobs of this controller, jobs of other
// controllers, and processes outside muster. Other controllers see a claim until it ends. Loop thread only.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/port/claims.h"
#include "core/port/loop.h"
#include "core/port/machine_info.h"
#include "core/port/planning.h"

namespace muster {

class MachineRoom {
 public:
  MachineRoom(Loop& loop, MachineInfo& machine, MachineLeases& leases)
      : loop_(loop),
        machine_(machine),
        leases_(leases) {}

  // As Planning, MachineSharing and Claims.
  Result<Plan> plan(const JobSpec& spec, const std::vector<Holder>& held, const JobOrigin& origin);
  Room room(bool gpus);
  Status claim(const JobOnNodes& claimed);
  void unclaim(const JobId& job) { claims_.erase(job); }

 private:
  const Inventory& inventory();
  bool is_over(const std::string& job) const;

  Loop& loop_;
  MachineInfo& machine_;
  MachineLeases& leases_;
  std::map<JobId, std::unique_ptr<MachineLease>> claims_;
  std::set<std::string> ours_;  // all jobs that had a claim of this controller, ended ones included
  std::optional<Inventory> inventory_;
  TimePoint looked_at_;
};

}  // namespace muster
