/* The part of NVIDIA's management library that muster calls, declared by ourselves: Debian has no nvml.h, and the
 * library comes with the driver, at run time. Names, types and numbers as in nvml.h of the "NVML API Reference
 * Guide" (docs.nvidia.com/deploy/nvml-api); the versioned symbols have been in every driver since R450. C, for the
 * stand-in too. */
#pragma once

typedef int nvmlReturn_t; /* enum nvmlReturn_enum */

enum {
  MUSTER_NVML_SUCCESS = 0,
  MUSTER_NVML_INVALID_ARGUMENT = 2,
  MUSTER_NVML_DRIVER_NOT_LOADED = 9,
  MUSTER_NVML_GPU_IS_LOST = 15,
  MUSTER_NVML_TEXT_SIZE = 96 /* NVML_DEVICE_UUID_V2_BUFFER_SIZE, NVML_DEVICE_NAME_V2_BUFFER_SIZE */
};

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

typedef nvmlReturn_t (*nvmlInit_v2_t)(void);
typedef nvmlReturn_t (*nvmlShutdown_t)(void);
typedef const char* (*nvmlErrorString_t)(nvmlReturn_t result);
typedef nvmlReturn_t (*nvmlDeviceGetCount_v2_t)(unsigned int* count);
typedef nvmlReturn_t (*nvmlDeviceGetHandleByIndex_v2_t)(unsigned int index, nvmlDevice_t* device);
typedef nvmlReturn_t (*nvmlDeviceGetUUID_t)(nvmlDevice_t device, char* uuid, unsigned int length);
typedef nvmlReturn_t (*nvmlDeviceGetName_t)(nvmlDevice_t device, char* name, unsigned int length);
typedef nvmlReturn_t (*nvmlDeviceGetMemoryInfo_t)(nvmlDevice_t device, nvmlMemory_t* memory);
typedef nvmlReturn_t (*nvmlDeviceGetPciInfo_v3_t)(nvmlDevice_t device, nvmlPciInfo_t* pci);
