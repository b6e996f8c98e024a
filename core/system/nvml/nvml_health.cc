// SPDX-License-Identifier: Apache-2.0
#include "core/system/nvml/nvml_health.h"

#include <dlfcn.h>

#include <future>
#include <thread>

#include "core/system/nvml/nvml_api.h"

namespace muster {
namespace {

// Looks up each function by name when it is called: older drivers have only some of them.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}

  template <typename Function, typename... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto function = handle_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == MUSTER_NVML_SUCCESS;
  }

 private:
  void* const handle_;  // never unloaded: the driver's library starts threads
};

std::optional<GpuHealth::Sharing> sharing_of(const Library& nvml, nvmlDevice_t device) {
  int mode = 0;
  if (!nvml.call<nvmlDeviceGetComputeMode_t>("nvmlDeviceGetComputeMode", device, &mode)) return std::nullopt;
  if (mode == MUSTER_NVML_COMPUTEMODE_PROHIBITED) return GpuHealth::Sharing::none;
  return mode == MUSTER_NVML_COMPUTEMODE_DEFAULT ? GpuHealth::Sharing::many : GpuHealth::Sharing::one;
}

void ask_memory(const Library& nvml, nvmlDevice_t device, GpuHealth& health) {
  unsigned long long errors = 0;
  if (nvml.call<nvmlDeviceGetTotalEccErrors_t>("nvmlDeviceGetTotalEccErrors", device, MUSTER_NVML_UNCORRECTED,
                                               MUSTER_NVML_VOLATILE, &errors))
    health.memory_errors = errors;
  unsigned int corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (!nvml.call<nvmlDeviceGetRemappedRows_t>("nvmlDeviceGetRemappedRows", device, &corrected, &uncorrected, &pending,
                                              &failed))
    return;
  health.remap_waits_for_reset = pending != 0;
  health.remap_failed = failed != 0;
}

std::optional<GpuHealth> health_of(const Library& nvml, unsigned int index) {
  nvmlDevice_t device = nullptr;
  if (!nvml.call<nvmlDeviceGetHandleByIndex_v2_t>("nvmlDeviceGetHandleByIndex_v2", index, &device)) return std::nullopt;
  GpuHealth health;
  health.index = index;
  char uuid[MUSTER_NVML_TEXT_SIZE] = "";
  if (nvml.call<nvmlDeviceGetUUID_t>("nvmlDeviceGetUUID", device, uuid, MUSTER_NVML_TEXT_SIZE)) health.uuid = uuid;
  int persistent = 0;
  if (nvml.call<nvmlDeviceGetPersistenceMode_t>("nvmlDeviceGetPersistenceMode", device, &persistent))
    health.persistent = persistent != 0;
  unsigned int mig = 0, later = 0;
  if (nvml.call<nvmlDeviceGetMigMode_t>("nvmlDeviceGetMigMode", device, &mig, &later)) health.divided = mig != 0;
  health.sharing = sharing_of(nvml, device);
  ask_memory(nvml, device, health);
  return health;
}

std::optional<NvmlHealth> ask(const std::string& path) {
  const Library nvml(path);
  if (!nvml.call<nvmlInit_v2_t>("nvmlInit_v2")) return std::nullopt;
  NvmlHealth health;
  char driver[MUSTER_NVML_TEXT_SIZE] = "";
  if (nvml.call<nvmlSystemGetDriverVersion_t>("nvmlSystemGetDriverVersion", driver, MUSTER_NVML_TEXT_SIZE))
    health.driver = driver;
  nvml.call<nvmlSystemGetCudaDriverVersion_t>("nvmlSystemGetCudaDriverVersion", &health.cuda_driver);
  unsigned int count = 0;
  nvml.call<nvmlDeviceGetCount_v2_t>("nvmlDeviceGetCount_v2", &count);
  for (unsigned int index = 0; index < count; ++index) {
    if (auto one = health_of(nvml, index)) health.gpus.push_back(std::move(*one));
  }
  nvml.call<nvmlShutdown_t>("nvmlShutdown");
  return health;
}

}  // namespace

std::optional<NvmlHealth> nvml_health(const std::string& library, Duration limit) {
  std::promise<std::optional<NvmlHealth>> promise;  // moved into the thread, which may outlive this call
  auto answer = promise.get_future();
  std::thread asking([promise = std::move(promise), library]() mutable { promise.set_value(ask(library)); });
  if (answer.wait_for(limit) != std::future_status::ready) {
    asking.detach();
    return std::nullopt;
  }
  asking.join();
  return answer.get();
}

}  // namespace muster
