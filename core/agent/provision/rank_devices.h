// SPDX-License-Identifier: Apache-2.0
// RankDevices: the devices of an attempt's ranks on this machine. It leases their GPUs before the ranks start, and publishes a
// claim that the controllers of all users read, so that their queued jobs wait. Loop thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/agent/provision/device_hold.h"
#include "core/base/log.h"
#include "core/port/agent_messages.h"

namespace muster {

struct RankDevicesPorts {
  Loop& loop;
  MachineLeases& leases;
  Log& log;
};

class RankDevices {
 public:
  explicit RankDevices(RankDevicesPorts ports) : ports_(ports) {}
  ~RankDevices() { cancel(); }
  RankDevices(const RankDevices&) = delete;
  RankDevices& operator=(const RankDevices&) = delete;

  // Sets the job that the claim names.
  void bind(const JobId& job, const std::string& name);

  // Leases the GPUs that the tasks name. `held`: the node's GPUs if they are already leased; otherwise null. `done` is called
  // once, in this call or later, with the reason why the ranks may not have them; empty: they may.
  void acquire(std::vector<RankTask> tasks, DeviceHold* held, std::function<void(const std::string& refusal)> done);
  // `done` of the last acquire() is not called any more.
  void cancel();

  // Publishes the claim until release().
  void claim(const Claim& claim);
  // Releases GPUs and claim. The controller claims what the job keeps for its next attempt.
  void release();

 private:
  void attempt();
  std::string lease();

  RankDevicesPorts ports_;
  std::string job_;
  std::string name_;
  std::vector<RankTask> tasks_;
  DeviceHold* held_ = nullptr;
  std::function<void(const std::string&)> done_;
  TimePoint patience_;
  TimerId timer_ = 0;
  std::unique_ptr<MachineLease> gpus_;
  std::unique_ptr<MachineLease> share_;
  Claim claimed_;  // by share_
};

}  // namespace muster
