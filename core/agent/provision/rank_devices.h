// RankDevices: what the ranks of an attempt have of the machine: their GPUs, leased before they start, and a claim that all users'
// muster read, so that jobs elsewhere in the queue wait. Loop thread only.
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

  // Whose claim it is.
  void bind(const JobId& job, const std::string& name);

  // Leases what the tasks name. `held`: the node's GPUs, where they were leased before; null: they were not. `done` once, in this call
  // or later, with why the ranks may not have them; empty: they may.
  void acquire(std::vector<RankTask> tasks, DeviceHold* held, std::function<void(const std::string& refusal)> done);
  // `done` of the last acquire() is not called any more.
  void cancel();

  // Told to all others for as long as it is held.
  void claim(const Claim& claim);
  // Nothing uses it any more. What the job keeps for its next attempt its controller claims.
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
