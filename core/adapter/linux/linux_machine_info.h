// LinuxMachineInfo: MachineInfo from hwloc, NVML and /proc. Loop thread only; made before threads that read the
// environment (cpu_topology.h).
#pragma once

#include <optional>
#include <string>

#include "core/adapter/nvml/nvml_gpus.h"
#include "core/base/log.h"
#include "core/port/machine_info.h"

namespace muster {

class LinuxMachineInfo final : public MachineInfo {
 public:
  // `cuda_visible_devices`: that variable of the environment the GPUs are for, unset or not.
  LinuxMachineInfo(Log& log, std::optional<std::string> cuda_visible_devices,
                   std::string nvml_library = NvmlGpus::kLibrary);

  // Takes milliseconds; with GPUs up to seconds, two at most when the driver hangs.
  Inventory inventory() override;

 private:
  const std::optional<std::string> cuda_visible_devices_;
  NvmlGpus gpus_;
};

}  // namespace muster
