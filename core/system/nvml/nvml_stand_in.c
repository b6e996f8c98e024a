/* A fake NVML for tests on machines without a GPU; tests load it instead of the driver's library (NvmlGpus). Its behaviour
 * is set by MUSTER_NVML_STAND_IN, words separated by blanks:
 *   gpus=N   number of devices (default 0)
 *   init=E   nvmlInit_v2 fails with nvmlReturn_t E
 *   lost=I   device I has fallen off the bus
 *   hang     nvmlInit_v2 never returns, as if the driver hangs
 *   processes=FILE   lines "I PID" or "I PID draws": processes on device I
 *   driver=V cuda=N  versions of the driver and its CUDA (default 550.54.15, 12040)
 *   persistence=M compute=M mig=M ecc=N pending=N failed=N   for every device (persistence: default 1; others: 0)
 * Device I is "GPU-00000000-0000-0000-0000-00000000000I" at PCI bus I+1, with (I+1) x 10 GiB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/system/nvml/nvml_api.h"

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

static nvmlReturn_t running(nvmlDevice_t device, int drawing, unsigned int* count, nvmlProcessInfo_t* infos) {
  const char* script = getenv("MUSTER_NVML_STAND_IN");
  const char* at = script == NULL ? NULL : strstr(script, "processes=");
  char path[4096] = "", line[256];
  FILE* file = NULL;
  unsigned int found = 0;
  if (at != NULL && sscanf(at, "processes=%4095s", path) == 1) file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    long index = 0;
    unsigned int pid = 0;
    if (sscanf(line, "%ld %u", &index, &pid) != 2 || index != index_of(device)) continue;
    if ((strstr(line, "draws") != NULL) != drawing || found >= *count) continue;
    memset(&infos[found], 0, sizeof infos[found]);
    infos[found++].pid = pid;
  }
  if (file != NULL) fclose(file);
  *count = found;
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int* count,
                                                     nvmlProcessInfo_t* infos) {
  return running(device, 0, count, infos);
}

nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int* count,
                                                      nvmlProcessInfo_t* infos) {
  return running(device, 1, count, infos);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  memset(pci, 0, sizeof *pci);
  pci->bus = (unsigned int)index_of(device) + 1;
  snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", pci->domain, pci->bus, pci->device);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetDriverVersion(char* version, unsigned int length) {
  const char* script = getenv("MUSTER_NVML_STAND_IN");
  const char* at = script == NULL ? NULL : strstr(script, "driver=");
  char text[32] = "550.54.15";
  if (at != NULL) sscanf(at, "driver=%31s", text);
  snprintf(version, length, "%s", text);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int* version) {
  *version = (int)scripted("cuda=", 12040);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, int* mode) {
  (void)device;
  *mode = (int)scripted("persistence=", 1);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, int* mode) {
  (void)device;
  *mode = (int)scripted("compute=", 0);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int* current, unsigned int* pending) {
  (void)device;
  *current = *pending = (unsigned int)scripted("mig=", 0);
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetTotalEccErrors(nvmlDevice_t device, int error, int counter, unsigned long long* count) {
  (void)device;
  *count = error == MUSTER_NVML_UNCORRECTED && counter == MUSTER_NVML_VOLATILE ? (unsigned long long)scripted("ecc=", 0) : 0;
  return MUSTER_NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRemappedRows(nvmlDevice_t device, unsigned int* corrected, unsigned int* uncorrected,
                                       unsigned int* pending, unsigned int* failed) {
  (void)device;
  *corrected = *uncorrected = 0;
  *pending = (unsigned int)scripted("pending=", 0);
  *failed = (unsigned int)scripted("failed=", 0);
  return MUSTER_NVML_SUCCESS;
}
