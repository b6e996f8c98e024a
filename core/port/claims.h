// Claims: tells everybody on a backend's nodes what a job has of them, and asks what others have. Loop thread only.
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

// A job that has nodes from now on.
struct JobOnNodes {
  JobId job;
  std::string name;
  const Plan& plan;
  const std::vector<JobHost>& hosts;
  const std::map<std::string, std::string>& environment;  // of the submitting shell
  JobCode code;
  bool anyway = false;  // it runs already, so nobody is asked
  bool warm = false;    // its ranks begin warm: what an agent keeps may be of use
};

class Claims {
 public:
  virtual ~Claims() = default;

  // Tells everybody on these nodes what the job has of them, until unclaim(). unavailable: somebody took some of it
  // meanwhile, or is about to: plan again. Before the first place() or adopt() of the job.
  virtual Status claim(const JobOnNodes& job) = 0;
  virtual void unclaim(const JobId& job) = 0;
};

// What the queue deals out: a machine, and who has some of it that is no job of ours.
struct Room {
  Inventory machine;
  std::vector<Holder> others;
};

// Of a backend with one machine, on which jobs wait for one another.
class MachineSharing {
 public:
  virtual ~MachineSharing() = default;

  // With `gpus` also who computes on those outside muster, which may take as long as looking at GPUs does.
  virtual Room room(bool gpus) = 0;
};

// Of a backend whose jobs bring their hosts.
class HostSharing {
 public:
  virtual ~HostSharing() = default;

  // Who else had some of the hosts that a waiting job brings, which were last asked at `asked`. Nothing: that is too long ago;
  // they are asked, and `seen` runs when they have answered, or do not.
  virtual std::optional<std::vector<Holder>> others_on(const JobOnNodes& waiting, TimePoint asked,
                                                       const std::function<void()>& seen) = 0;
};

}  // namespace muster
