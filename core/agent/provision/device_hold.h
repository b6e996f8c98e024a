// SPDX-License-Identifier: Apache-2.0
// DeviceHold: leases a node's GPUs before any rank of the job starts on any node, and keeps them as long as the agent has the
// job, also between attempts. So no attempt fails because another job took the GPUs in the meantime.
//
// Two jobs on the same hosts could each hold GPUs that the other needs. Before its ranks start, a job that another job waits
// for therefore releases its GPUs from time to time for 0.5 to 1 s. The time between two releases doubles. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/random.h"
#include "core/port/loop.h"
#include "core/port/machine_info.h"

namespace muster {

class DeviceHold {
 public:
  // `seed`: of the random times; must differ between agents. `changed` is called when held() or waits_for() has changed.
  DeviceHold(Loop& loop, MachineLeases& leases, std::vector<std::string> gpus, uint64_t seed,
             std::function<void()> changed);
  ~DeviceHold();
  DeviceHold(const DeviceHold&) = delete;
  DeviceHold& operator=(const DeviceHold&) = delete;

  void start();
  // Ranks start: the GPUs are not released any more.
  void use();

  bool held() const { return lease_ != nullptr; }
  const std::vector<std::string>& gpus() const { return gpus_; }
  // Why the GPUs are not leased, as a sentence. Empty: they are leased, or start() was not called.
  const std::string& waits_for() const { return waits_for_; }

 private:
  void attempt();
  void look_for_others();
  void release_briefly();
  Duration up_to(Duration most);
  void tell(const std::string& waits_for);

  Loop& loop_;
  MachineLeases& leases_;
  const std::vector<std::string> gpus_;
  Random random_;
  Duration patience_;  // least time until the next release
  const std::function<void()> changed_;
  std::unique_ptr<MachineLease> lease_;
  std::unique_ptr<MachineLease> want_;
  std::string waits_for_;
  TimePoint kept_until_;  // not released before, even if another job waits for them
  TimerId timer_ = 0;
};

}  // namespace muster
