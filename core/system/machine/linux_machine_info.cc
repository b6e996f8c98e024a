// SPDX-License-Identifier: Apache-2.0
#include "core/system/machine/linux_machine_info.h"

#include <cstdlib>
#include <optional>

#include "core/system/hwloc/cpu_topology.h"
#include "core/system/linux/host_name.h"
#include "core/system/linux/loopback_name.h"
#include "core/system/linux/proc_files.h"
#include "core/system/machine/machine_memory.h"

namespace muster {

LinuxMachineInfo::LinuxMachineInfo(Log& log, std::string nvml_library) : gpus_(log, std::move(nvml_library)) {}

Inventory LinuxMachineInfo::inventory() {
  Inventory inventory;
  inventory.host = host_name();
  inventory.cpus = cpus_in_topology_order();
  if (const uint64_t memory = ::muster::usable_memory_bytes(); memory > 0) inventory.memory_bytes = memory;
  inventory.gpus = gpus_.all();
  if (!inventory.gpus.empty()) inventory.places = cpu_places();
  return inventory;
}

namespace {

// The MPS server is on every GPU but uses none itself. The kernel cuts its name to 15 characters (comm in proc(5)).
bool is_mps_server(const std::string& program) { return program == "nvidia-cuda-mps"; }

std::optional<uint32_t> user_of(int64_t pid) {
  const auto status = read_small_file("/proc/" + std::to_string(pid) + "/status");
  const size_t at = status ? status->find("\nUid:\t") : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  return static_cast<uint32_t>(std::strtoul(status->c_str() + at + 6, nullptr, 10));
}

}  // namespace

std::vector<GpuUser> LinuxMachineInfo::gpu_users() {
  std::vector<GpuUser> users;
  for (const GpuProcess& process : gpus_.processes()) {
    const auto stat = read_stat(static_cast<pid_t>(process.pid));
    const auto user = user_of(process.pid);
    const bool ended = process.seen && (!stat || !user || stat->state == 'Z');
    if (ended || (stat && is_mps_server(stat->command))) continue;
    const bool visible = process.seen && stat && user;
    users.push_back({process.gpu, process.pid, visible ? users_.name(*user) : "", visible ? stat->command : ""});
  }
  return users;
}

std::optional<uint32_t> LinuxMachineInfo::free_memory_permille() { return ::muster::free_memory_permille(); }

uint64_t LinuxMachineInfo::usable_memory_bytes() { return ::muster::usable_memory_bytes(); }

uint64_t LinuxMachineInfo::memory_of(int64_t pid) { return memory_of_tree(static_cast<pid_t>(pid)); }

bool LinuxMachineInfo::is_stopped(const ProcessIdentity& process) {
  const auto stat = read_stat(static_cast<pid_t>(process.pid));
  return stat && stat->start_ticks == process.start_ticks && stat->state == 'T';
}

bool LinuxMachineInfo::runs(const ProcessIdentity& process) {
  const auto stat = read_stat(static_cast<pid_t>(process.pid));
  return stat && stat->start_ticks == process.start_ticks && stat->state != 'Z' && stat->state != 'X';
}

std::string LinuxMachineInfo::loopback() { return loopback_name(); }

}  // namespace muster
