// DeviceHold: a node's GPUs, leased before any rank of its job begins anywhere and kept for as long as the agent has the job, attempts and
// what is between them alike: nobody's attempt fails because another job was faster.
//
// Two jobs on the same hosts might each have what the other needs. So who does not use its devices yet lets go of them for a moment, now
// and then, while somebody else waits for them; ever less often, where that does not help. Loop thread only.
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
  // `seed`: of how long it waits before it lets go, which is to differ between agents. `changed`: held() or waits_for() differs.
  DeviceHold(Loop& loop, MachineLeases& leases, std::vector<std::string> gpus, uint64_t seed,
             std::function<void()> changed);
  ~DeviceHold();
  DeviceHold(const DeviceHold&) = delete;
  DeviceHold& operator=(const DeviceHold&) = delete;

  void start();
  // Ranks begin: held until the end.
  void use();

  bool held() const { return lease_ != nullptr; }
  const std::vector<std::string>& gpus() const { return gpus_; }
  // Why it has them not: a sentence of whoever has one. Empty: it has, or has not tried.
  const std::string& waits_for() const { return waits_for_; }

 private:
  void attempt();
  void look_for_others();
  void let_go_for_a_moment();
  Duration up_to(Duration most);
  void tell(const std::string& waits_for);

  Loop& loop_;
  MachineLeases& leases_;
  const std::vector<std::string> gpus_;
  Random random_;
  Duration patience_;  // before it lets go next
  const std::function<void()> changed_;
  std::unique_ptr<MachineLease> lease_;
  std::unique_ptr<MachineLease> want_;
  std::string waits_for_;
  TimePoint kept_until_;  // whoever else wants them
  TimerId timer_ = 0;
};

}  // namespace muster
