// SPDX-License-Identifier: Apache-2.0
/* Declarations of the functions of NVIDIA's management library that muster calls. Debian has no nvml.h, and the library
 * comes with the driver, at run time. Names, types and numbers are those of nvml.h in the "NVML API Reference Guide"
 * (docs.nvidia.com/deploy/nvml-api); all drivers since R450 have the versioned symbols. In C, because the stand-in for
 * tests includes it, too. */
#pragma once

typedef int nvmlReturn_t; /* enum nvmlReturn_enum */

enum {
  MUSTER_NVML_SUCCESS = 0,
  MUSTER_NVML_INVALID_ARGUMENT = 2,
  MUSTER_NVML_DRIVER_NOT_LOADED = 9,
  MUSTER_NVML_GPU_IS_LOST = 15,
  MUSTER_NVML_TEXT_SIZE = 96 /* NVML_DEVICE_UUID_V2_BUFFER_SIZE, NVML_DEVICE_NAME_V2_BUFFER_SIZE */
};

enum { MUSTER_NVML_COMPUTEMODE_DEFAULT = 0, MUSTER_NVML_COMPUTEMODE_PROHIBITED = 2 }; /* nvmlComputeMode_t */
enum { MUSTER_NVML_UNCORRECTED = 1 };                                                 /* nvmlMemoryErrorType_t */
enum { MUSTER_NVML_VOLATILE = 0 };                                                    /* nvmlEccCounterType_t */

typedef struct nvmlDevice_st* nvmlDevice_t;

typedef struct nvmlMemory_st {
  unsigned long long total; /* bytes */
  unsigned long long free;
  unsigned long long used;
} nvmlMemory_t;

typedef struct nvmlPciInfo_st {
  char busIdLegacy[16];
  unsigned int domain;
  unsigned int bus;
  unsigned int device;
  unsigned int pciDeviceId;
  unsigned int pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;

/* nvmlProcessInfo_v2_t, which versions 2 and 3 of the functions fill. */
typedef struct nvmlProcessInfo_st {
  unsigned int pid;
  unsigned long long usedGpuMemory; /* bytes */
  unsigned int gpuInstanceId;
  unsigned int computeInstanceId;
} nvmlProcessInfo_t;

typedef nvmlReturn_t (*nvmlInit_v2_t)(void);
typedef nvmlReturn_t (*nvmlShutdown_t)(void);
typedef const char* (*nvmlErrorString_t)(nvmlReturn_t result);
typedef nvmlReturn_t (*nvmlDeviceGetCount_v2_t)(unsigned int* count);
typedef nvmlReturn_t (*nvmlDeviceGetHandleByIndex_v2_t)(unsigned int index, nvmlDevice_t* device);
typedef nvmlReturn_t (*nvmlDeviceGetUUID_t)(nvmlDevice_t device, char* uuid, unsigned int length);
typedef nvmlReturn_t (*nvmlDeviceGetName_t)(nvmlDevice_t device, char* name, unsigned int length);
typedef nvmlReturn_t (*nvmlDeviceGetMemoryInfo_t)(nvmlDevice_t device, nvmlMemory_t* memory);
/* count: in, the capacity of infos; out, the number of processes. */
typedef nvmlReturn_t (*nvmlDeviceGetRunningProcesses_t)(nvmlDevice_t device, unsigned int* count,
                                                        nvmlProcessInfo_t* infos);
typedef nvmlReturn_t (*nvmlDeviceGetPciInfo_v3_t)(nvmlDevice_t device, nvmlPciInfo_t* pci);
typedef nvmlReturn_t (*nvmlSystemGetDriverVersion_t)(char* version, unsigned int length);
typedef nvmlReturn_t (*nvmlSystemGetCudaDriverVersion_t)(int* version);
typedef nvmlReturn_t (*nvmlDeviceGetPersistenceMode_t)(nvmlDevice_t device, int* mode);
typedef nvmlReturn_t (*nvmlDeviceGetComputeMode_t)(nvmlDevice_t device, int* mode);
typedef nvmlReturn_t (*nvmlDeviceGetMigMode_t)(nvmlDevice_t device, unsigned int* current, unsigned int* pending);
typedef nvmlReturn_t (*nvmlDeviceGetTotalEccErrors_t)(nvmlDevice_t device, int error, int counter,
                                                      unsigned long long* count);
typedef nvmlReturn_t (*nvmlDeviceGetRemappedRows_t)(nvmlDevice_t device, unsigned int* corrected,
                                                    unsigned int* uncorrected, unsigned int* pending,
                                                    unsigned int* failed);
