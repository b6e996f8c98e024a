/* A library that answers like NVML where there is no GPU, for tests: muster is told to load it instead (NvmlGpus).
 * It reads what to play from MUSTER_NVML_STAND_IN, words separated by blanks: gpus=N   so many devices (default 0)
 *   init=E   nvmlInit_v2 fails with nvmlReturn_t E
 *   lost=I   device I has fallen off the bus
 *   hang     nvmlInit_v2 never returns, as with a wedged driver
 * Device I is "GPU-00000000-0000-0000-0000-00000000000I" at PCI bus I+1, with (I+1) x 10 GiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/adapter/nvml/nvml_api.h"

/* The number after "word=", or `otherwise`. */
static long scripted(const char* word, long otherwise) {
  const char* script = getenv("MUSTER_NVML_STAND_IN");
  const char* at = script == NULL ? NULL : strstr(script, word);
  return at == NULL ? otherwise : strtol(at + strlen(word), NULL, 10);
}

static long index_of(nvmlDevice_t device) { return (long)device - 1; }

nvmlReturn_t nvmlInit_v2(void) {
  const char* script = getenv("MUSTER_NVML_STAND_IN");
  while (script != NULL && strstr(script, "hang") != NULL) pause();
  return (nvmlReturn_t)scripted("init=", MUSTER_NVML_SUCCESS);
}

nvmlReturn_t nvmlShutdown(void) { return MUSTER_NVML_SUCCESS; }

const char* nvmlErrorString(nvmlReturn_t result) {
  if (result == MUSTER_NVML_DRIVER_NOT_LOADED) return "Driver Not Loaded";
  return result == MUSTER_NVML_GPU_IS_LOST ? "GPU is lost" : "Unknown Error";
}

nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int* count) {
  *count = (unsigned int)scripted("gpus=", 0);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t* device) {
  if (index >= (unsigned int)scripted("gpus=", 0)) return MUSTER_NVML_INVALID_ARGUMENT;
  if ((long)index == scripted("lost=", -1)) return MUSTER_NVML_GPU_IS_LOST;
  *device = (nvmlDevice_t)((long)index + 1);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned int length) {
  snprintf(uuid, length, "GPU-00000000-0000-0000-0000-%012lx", index_of(device));
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned int length) {
  (void)device;
  snprintf(name, length, "Stand-in GPU");
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  memory->total = (unsigned long long)(index_of(device) + 1) * 10 << 30;
  memory->free = memory->total;
  memory->used = 0;
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  memset(pci, 0, sizeof *pci);
  pci->bus = (unsigned int)index_of(device) + 1;
  snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
  return MUSTER_NVML_SUCCESS;
}
