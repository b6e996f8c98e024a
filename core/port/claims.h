// SPDX-License-Identifier: Apache-2.0
// Claims: announces to all users of a backend's nodes which devices a job has, and asks for those of others. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/ids.h"
#include "core/base/result.h"
#include "core/job/code_order.h"
#include "core/job/plan/claim.h"
#include "core/job/plan/job_host.h"
#include "core/job/plan/plan.h"

namespace muster {

// A job that gets nodes.
struct JobOnNodes {
  JobId job;
  std::string name;
  const Plan& plan;
  const std::vector<JobHost>& hosts;
  const std::map<std::string, std::string>& environment;  // of the submitting shell
  JobCode code;
  bool anyway = false;  // it runs already: claim without asking others
  bool warm = false;    // its ranks start warm: an idle agent's imports may be useful
};

class Claims {
 public:
  virtual ~Claims() = default;

  // Announces the job's devices on these nodes, until unclaim(). unavailable: another job took some of them meanwhile, or is about
  // to; plan again. Call it before the first place() or adopt() of the job.
  virtual Status claim(const JobOnNodes& job) = 0;
  virtual void unclaim(const JobId& job) = 0;
};

// The free capacity for the queue: a machine, and the holders of its devices that are no jobs of this controller.
struct Room {
  Inventory machine;
  std::vector<Holder> others;
};

// For a backend with one machine, on which jobs wait for each other.
class MachineSharing {
 public:
  virtual ~MachineSharing() = default;

  // With `gpus`, also lists processes outside muster that use GPUs; that takes as long as a query of the GPUs.
  virtual Room room(bool gpus) = 0;
};

// For a backend whose jobs bring their own hosts.
class HostSharing {
 public:
  virtual ~HostSharing() = default;

  // Other holders of devices on the hosts of a waiting job, as reported since `asked`. Nothing: the last reports are older; the
  // hosts are asked, and `seen` runs when they have answered or failed to.
  virtual std::optional<std::vector<Holder>> others_on(const JobOnNodes& waiting, TimePoint asked,
                                                       const std::function<void()>& seen) = 0;
};

}  // namespace muster
