// What this machine has, and the things jobs of all users on it must not share: GPUs and ports (DESIGN.md §9.11).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/job/plan/machine_share.h"
#include "core/job/plan/plan.h"

namespace muster {

class MachineInfo {
 public:
  virtual ~MachineInfo() = default;

  // CPUs of our affinity mask in topology order, memory, GPUs. No NVML means no GPUs, never an error.
  virtual Inventory inventory() = 0;

  // As of two seconds ago at the most; those that ended since are left out.
  virtual std::vector<GpuUser> gpu_users() { return {}; }

  // What part of the memory that we may use is free; none: unknown.
  virtual std::optional<uint32_t> free_memory_permille() { return std::nullopt; }

  // What programs here may call the loopback, so that no name server is asked for the name of its address either:
  // `localhost` where this machine's own files give that name to ::1 too, else 127.0.0.1. A client of both families goes
  // to ::1 then.
  virtual std::string loopback() = 0;
};

// Holds something of this machine until it is destroyed; the kernel lets go when our process dies.
class MachineLease {
 public:
  virtual ~MachineLease() = default;
};

struct LeasedPort {
  uint16_t port = 0;
  std::unique_ptr<MachineLease> lease;
};

class MachineLeases {
 public:
  virtual ~MachineLeases() = default;

  // A TCP port of 20000-27999 that no muster process of any user holds and nobody listens on now.
  // resource_exhausted when there is none.
  virtual Result<LeasedPort> lease_port() = 0;

  // failed_precondition when another muster process holds one of them; the sentence names its pid.
  virtual Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>& uuids) = 0;

  // The same devices are waited for, and whoever holds them without using them yet may hear of it, until the lease goes.
  virtual std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>& uuids) = 0;
  // Whether another process waits so for one of them.
  virtual bool are_wanted(const std::vector<std::string>& uuids) = 0;

  // Tells all others what a job has, until the lease goes. `refusal` hears what everybody told, while nobody else can
  // claim, and says why not; empty: it may. unavailable: that, or another claims just now.
  using Refusal = std::function<std::string(const std::vector<MachineShare>& told)>;
  virtual Result<std::unique_ptr<MachineLease>> claim(const MachineShare& mine, const Refusal& refusal) = 0;

  // The same without asking.
  virtual Result<std::unique_ptr<MachineLease>> tell(const MachineShare& mine) = 0;

  // What is told now, one for each job.
  virtual std::vector<MachineShare> told() = 0;
};

}  // namespace muster
