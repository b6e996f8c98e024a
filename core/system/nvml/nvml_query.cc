// SPDX-License-Identifier: Apache-2.0
#include "core/system/nvml/nvml_query.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "core/system/nvml/nvml_api.h"

namespace muster {
namespace {

struct Nvml {
  nvmlInit_v2_t init = nullptr;
  nvmlShutdown_t shutdown = nullptr;
  nvmlErrorString_t error_string = nullptr;
  nvmlDeviceGetCount_v2_t count = nullptr;
  nvmlDeviceGetHandleByIndex_v2_t handle = nullptr;
  nvmlDeviceGetUUID_t uuid = nullptr;
  nvmlDeviceGetName_t name = nullptr;
  nvmlDeviceGetMemoryInfo_t memory = nullptr;
  nvmlDeviceGetPciInfo_v3_t pci = nullptr;
  nvmlDeviceGetRunningProcesses_t computing = nullptr;  // null with drivers older than R450
  nvmlDeviceGetRunningProcesses_t drawing = nullptr;
};

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// Never unloaded: the driver's library starts threads.
std::optional<Nvml> load(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  Nvml nvml;
  const bool complete =
      library != nullptr && find(library, "nvmlInit_v2", nvml.init) && find(library, "nvmlShutdown", nvml.shutdown) &&
      find(library, "nvmlErrorString", nvml.error_string) && find(library, "nvmlDeviceGetCount_v2", nvml.count) &&
      find(library, "nvmlDeviceGetHandleByIndex_v2", nvml.handle) && find(library, "nvmlDeviceGetUUID", nvml.uuid) &&
      find(library, "nvmlDeviceGetName", nvml.name) && find(library, "nvmlDeviceGetMemoryInfo", nvml.memory) &&
      find(library, "nvmlDeviceGetPciInfo_v3", nvml.pci);
  if (!complete) return std::nullopt;
  const auto either = [&](const std::string& name, nvmlDeviceGetRunningProcesses_t& function) {
    if (!find(library, (name + "_v3").c_str(), function)) find(library, (name + "_v2").c_str(), function);
  };
  either("nvmlDeviceGetComputeRunningProcesses", nvml.computing);
  either("nvmlDeviceGetGraphicsRunningProcesses", nvml.drawing);
  return nvml;
}

// -1: unknown; the kernel uses the same value (sysfs-bus-pci, numa_node).
int numa_node(const nvmlPciInfo_t& pci, const std::string& sysfs) {
  char name[64];
  std::snprintf(name, sizeof name, "/bus/pci/devices/%04x:%02x:%02x.0/numa_node", pci.domain, pci.bus, pci.device);
  int node = -1;
  std::ifstream(sysfs + name) >> node;
  return node < 0 ? -1 : node;
}

// Fails only without a UUID, which is needed to lease and use a GPU. Machines with memory shared by CPU and GPU report no
// size.
nvmlReturn_t describe(const Nvml& nvml, unsigned int index, const std::string& sysfs, Gpu& gpu) {
  nvmlDevice_t device = nullptr;
  nvmlReturn_t result = nvml.handle(index, &device);
  char text[MUSTER_NVML_TEXT_SIZE] = "";
  if (result == MUSTER_NVML_SUCCESS) result = nvml.uuid(device, text, sizeof text);
  if (result != MUSTER_NVML_SUCCESS) return result;
  gpu.index = index;
  gpu.uuid = text;
  if (nvml.name(device, text, sizeof text) == MUSTER_NVML_SUCCESS) gpu.name = text;
  nvmlMemory_t memory{};
  if (nvml.memory(device, &memory) == MUSTER_NVML_SUCCESS) gpu.memory_bytes = memory.total;
  nvmlPciInfo_t pci{};
  if (nvml.pci(device, &pci) == MUSTER_NVML_SUCCESS) gpu.numa_node = numa_node(pci, sysfs);
  return MUSTER_NVML_SUCCESS;
}

std::set<int64_t> pids_of(nvmlDeviceGetRunningProcesses_t ask, nvmlDevice_t device) {
  constexpr unsigned int kMostProcesses = 1024;
  std::vector<nvmlProcessInfo_t> infos(kMostProcesses);
  unsigned int count = kMostProcesses;
  std::set<int64_t> pids;
  if (ask == nullptr || ask(device, &count, infos.data()) != MUSTER_NVML_SUCCESS) return pids;
  for (unsigned int i = 0; i < std::min(count, kMostProcesses); ++i) pids.insert(infos[i].pid);
  return pids;
}

void add_processes(const Nvml& nvml, const Gpu& gpu, std::vector<GpuProcess>& processes) {
  nvmlDevice_t device = nullptr;
  if (nvml.handle(gpu.index, &device) != MUSTER_NVML_SUCCESS) return;
  const std::set<int64_t> drawing = pids_of(nvml.drawing, device);
  for (const int64_t pid : pids_of(nvml.computing, device)) {
    if (drawing.count(pid) > 0) continue;
    processes.push_back({gpu.uuid, pid, access(("/proc/" + std::to_string(pid)).c_str(), F_OK) == 0});
  }
}

NvmlAnswer list_gpus(const Nvml& nvml, const std::string& sysfs) {
  NvmlAnswer answer;
  unsigned int count = 0;
  if (nvml.count(&count) != MUSTER_NVML_SUCCESS) answer.troubles.push_back("NVML cannot count the GPUs");
  for (unsigned int index = 0; index < count; ++index) {
    Gpu gpu;
    const nvmlReturn_t result = describe(nvml, index, sysfs, gpu);
    if (result == MUSTER_NVML_SUCCESS) {
      add_processes(nvml, gpu, answer.processes);
      answer.gpus.push_back(std::move(gpu));
    } else {
      answer.troubles.push_back("GPU " + std::to_string(index) + " is left out: " + nvml.error_string(result));
    }
  }
  return answer;
}

}  // namespace

NvmlAnswer ask_nvml(const std::string& library, const std::string& sysfs) {
  const auto nvml = load(library);
  if (!nvml) return {{}, {}, {"no GPUs: " + escaped(library) + " is missing or not usable"}, {}};
  const nvmlReturn_t result = nvml->init();
  if (result != MUSTER_NVML_SUCCESS)
    return {{}, {}, {std::string("no GPUs: NVML reports: ") + nvml->error_string(result)}, {}};
  NvmlAnswer answer = list_gpus(*nvml, sysfs);
  nvml->shutdown();
  return answer;
}

}  // namespace muster
