// SPDX-License-Identifier: Apache-2.0
#include "core/worker/collective/nccl_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace muster::worker {
namespace {

// Looks up functions; remembers the first that is missing.
class Symbols {
 public:
  Symbols(const char* variable, const char* usual) {
    const char* chosen = std::getenv(variable);
    path_ = chosen != nullptr && *chosen != 0 ? chosen : usual;
    library_ = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
      const char* why = dlerror();
      wrong_ = why != nullptr ? why : path_ + " cannot be loaded";
    }
  }
  template <typename Function>
  void find(Function& function, const char* name, bool needed = true) {
    function = library_ == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(library_, name));
    if (function == nullptr && needed && wrong_.empty()) wrong_ = path_ + " has no " + name;
  }
  const std::string& wrong() const { return wrong_; }
  const std::string& path() const { return path_; }

 private:
  void* library_;
  std::string path_, wrong_;
};

}  // namespace

std::string nccl_version_text(int code) {
  // Up to version 2.8 the code was 1000 × major + 100 × minor + patch.
  const int major = code >= 10000 ? code / 10000 : code / 1000;
  const int minor = code >= 10000 ? code / 100 % 100 : code / 100 % 10;
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(code % 100);
}

Result<NcclLibrary> NcclLibrary::load() {
  Symbols symbols("MUSTER_NCCL_LIBRARY", "libnccl.so.2");
  NcclLibrary found{};
  symbols.find(found.get_version, "ncclGetVersion");
  symbols.find(found.get_unique_id, "ncclGetUniqueId");
  symbols.find(found.destroy, "ncclCommDestroy");
  symbols.find(found.abort, "ncclCommAbort");
  symbols.find(found.async_error, "ncclCommGetAsyncError");
  symbols.find(found.error_string, "ncclGetErrorString");
  symbols.find(found.all_reduce, "ncclAllReduce");
  symbols.find(found.reduce_scatter, "ncclReduceScatter");
  symbols.find(found.all_gather, "ncclAllGather");
  symbols.find(found.broadcast, "ncclBroadcast");
  symbols.find(found.send, "ncclSend");
  symbols.find(found.receive, "ncclRecv");
  if (!symbols.wrong().empty()) return Status(Code::not_found, symbols.wrong());
  if (found.get_version(&found.version) != nccl::success || found.version < nccl::with_non_blocking) {
    return Status(Code::not_found,
                  symbols.path() + " is NCCL " + nccl_version_text(found.version) + "; 2.14 or later is needed");
  }
  symbols.find(found.init, "ncclCommInitRankConfig");
  symbols.find(found.finalize, "ncclCommFinalize");
  symbols.find(found.last_error, "ncclGetLastError");
  if (!symbols.wrong().empty()) return Status(Code::not_found, symbols.wrong());
  if (found.version >= nccl::with_split) symbols.find(found.split, "ncclCommSplit", false);
  if (found.version >= nccl::with_scalable) symbols.find(found.init_scalable, "ncclCommInitRankScalable", false);
  if (found.version >= nccl::with_shrink) symbols.find(found.shrink, "ncclCommShrink", false);
  if (found.version >= nccl::with_grow) {
    symbols.find(found.get_grow_id, "ncclCommGetUniqueId", false);
    symbols.find(found.grow, "ncclCommGrow", false);
    if (found.get_grow_id == nullptr) found.grow = nullptr;
  }
  return found;
}

Result<CudaDriver> CudaDriver::load() {
  Symbols symbols("MUSTER_CUDA_LIBRARY", "libcuda.so.1");
  CudaDriver found{};
  symbols.find(found.init, "cuInit");
  symbols.find(found.device_count, "cuDeviceGetCount");
  symbols.find(found.device, "cuDeviceGet");
  symbols.find(found.retain, "cuDevicePrimaryCtxRetain");
  symbols.find(found.release, "cuDevicePrimaryCtxRelease_v2");
  symbols.find(found.current, "cuCtxGetCurrent");
  symbols.find(found.set_current, "cuCtxSetCurrent");
  symbols.find(found.stream_create, "cuStreamCreate");
  symbols.find(found.stream_query, "cuStreamQuery");
  symbols.find(found.stream_destroy, "cuStreamDestroy_v2");
  symbols.find(found.allocate, "cuMemAlloc_v2");
  symbols.find(found.free, "cuMemFree_v2");
  symbols.find(found.error_string, "cuGetErrorString");
  if (!symbols.wrong().empty()) return Status(Code::not_found, "no GPU driver: " + symbols.wrong());
  int count = 0;
  cuda::Code code = found.init(0);
  if (code == cuda::success) code = found.device_count(&count);
  if (code != cuda::success) return Status(Code::not_found, "no GPU: " + found.text(code));
  if (count == 0) return Status(Code::not_found, "no GPU is visible");
  return found;
}

std::string CudaDriver::text(cuda::Code code) const {
  const char* words = nullptr;
  if (error_string(code, &words) != cuda::success || words == nullptr) return "CUDA error " + std::to_string(code);
  return words;
}

int CudaDriver::own_device() const {
  int count = 0;
  device_count(&count);
  const char* local_rank = std::getenv("MUSTER_LOCAL_RANK");
  if (count < 2 || std::getenv("CUDA_VISIBLE_DEVICES") != nullptr || local_rank == nullptr) return 0;
  return std::atoi(local_rank) % count;
}

}  // namespace muster::worker
