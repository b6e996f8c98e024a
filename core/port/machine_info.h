// SPDX-License-Identifier: Apache-2.0
// The devices of this machine, and leases of those that jobs of all users must not share: GPUs and ports
// (docs/design/agent.md).
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
#include "core/port/process_host.h"

namespace muster {

class MachineInfo {
 public:
  virtual ~MachineInfo() = default;

  // CPUs of this process's affinity mask in topology order, memory, GPUs. Without NVML there are no GPUs; that is no error.
  virtual Inventory inventory() = 0;

  // At most 2 s old; processes that have ended since are left out.
  virtual std::vector<GpuUser> gpu_users() { return {}; }

  // The free part of the memory that this process may use, in permille; nothing: unknown.
  virtual std::optional<uint32_t> free_memory_permille() { return std::nullopt; }

  // The memory that this process may use; 0: unknown.
  virtual uint64_t usable_memory_bytes() { return 0; }

  // Anonymous and shared memory of a process and its descendants, shared pages in parts; 0: unknown. Reads /proc of all processes.
  virtual uint64_t memory_of(int64_t) { return 0; }

  // Whether a signal such as SIGSTOP has stopped the process. False: it is not stopped, or has ended.
  virtual bool is_stopped(const ProcessIdentity&) { return false; }

  // False: the process has ended, even if its parent has not noticed yet.
  virtual bool runs(const ProcessIdentity&) { return true; }

  // The name of the loopback for programs, chosen so that no name server is queried: `localhost` if the files of this machine
  // give that name to ::1 too, else 127.0.0.1. With `localhost`, a client of both families connects to ::1.
  virtual std::string loopback() = 0;
};

// Holds a resource of this machine until it is destroyed. The kernel releases it when this process ends.
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

  // A TCP port of 20000-27999 that no muster process of any user holds and on which no process listens now.
  // resource_exhausted: there is none.
  virtual Result<LeasedPort> lease_port() = 0;

  // failed_precondition: another muster process holds one of them; the message names its pid.
  virtual Result<std::unique_ptr<MachineLease>> lease_gpus(const std::vector<std::string>& uuids) = 0;

  // Announces, until the lease is destroyed, that this process waits for these devices. A holder that does not use them yet can
  // see that.
  virtual std::unique_ptr<MachineLease> want_gpus(const std::vector<std::string>& uuids) = 0;
  // True if another process announced that it waits for one of them.
  virtual bool are_wanted(const std::vector<std::string>& uuids) = 0;

  // Announces the share of a job to all others, until the lease is destroyed. `refusal` gets the announced shares, while no other
  // process can claim, and returns why the job must not claim; empty: it may. unavailable: it was refused, or another process
  // is claiming now.
  using Refusal = std::function<std::string(const std::vector<MachineShare>& told)>;
  virtual Result<std::unique_ptr<MachineLease>> claim(const MachineShare& mine, const Refusal& refusal) = 0;

  // Announces the share without asking.
  virtual Result<std::unique_ptr<MachineLease>> tell(const MachineShare& mine) = 0;

  // The announced shares, one for each job.
  virtual std::vector<MachineShare> told() = 0;

  // Why leases and shares of other users are not seen here, as a sentence; empty: they are.
  virtual std::string blind_spot() const = 0;
};

}  // namespace muster
