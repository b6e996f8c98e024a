#include "core/adapter/linux/linux_machine_info.h"

#include "core/adapter/hwloc/cpu_topology.h"
#include "core/adapter/linux/host_name.h"
#include "core/adapter/linux/loopback_name.h"
#include "core/adapter/linux/machine_memory.h"

namespace muster {
LinuxMachineInfo::LinuxMachineInfo(Log& log, std::string nvml_library) : gpus_(log, std::move(nvml_library)) {}

Inventory LinuxMachineInfo::inventory() {
  Inventory inventory;
  inventory.host = host_name();
  inventory.cpus = cpus_in_topology_order();
  if (const uint64_t memory = usable_memory_bytes(); memory > 0) inventory.memory_bytes = memory;
  inventory.gpus = gpus_.all();
  if (!inventory.gpus.empty()) inventory.places = cpu_places();
  return inventory;
}

std::string LinuxMachineInfo::loopback() { return loopback_name(); }

}  // namespace muster
