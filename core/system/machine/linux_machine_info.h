// SPDX-License-Identifier: Apache-2.0
// LinuxMachineInfo: MachineInfo from hwloc, NVML and /proc. Loop thread only. Create it before starting threads that read
// the environment (cpu_topology.h).
#pragma once

#include <string>

#include "core/base/log.h"
#include "core/port/machine_info.h"
#include "core/system/linux/user_names.h"
#include "core/system/nvml/nvml_gpus.h"

namespace muster {

class LinuxMachineInfo final : public MachineInfo {
 public:
  explicit LinuxMachineInfo(Log& log, std::string nvml_library = NvmlGpus::kLibrary);

  // Takes milliseconds without GPUs, up to seconds with GPUs, and at most 2 s if the driver hangs.
  Inventory inventory() override;
  std::vector<GpuUser> gpu_users() override;
  std::optional<uint32_t> free_memory_permille() override;
  uint64_t usable_memory_bytes() override;
  uint64_t memory_of(int64_t pid) override;
  bool is_stopped(const ProcessIdentity& process) override;
  bool runs(const ProcessIdentity& process) override;
  std::string loopback() override;

 private:
  NvmlGpus gpus_;
  UserNames users_;
};

}  // namespace muster
