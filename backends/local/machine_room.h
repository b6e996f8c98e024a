// MachineRoom: plans jobs on this machine beside those that hold some of it: our own, jobs of other controllers, and processes
// outside muster. A claim is told to the other controllers for as long as it lasts. Loop thread only.
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
  std::set<std::string> ours_;  // jobs that ever had a claim from here: what agents still tell of those is over
  std::optional<Inventory> inventory_;
  TimePoint looked_at_;
};

}  // namespace muster
