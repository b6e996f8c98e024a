// NvmlGpus: the GPUs of this machine, by the library that comes with NVIDIA's driver, loaded at run time. No
// library, no driver, a driver that hangs: no GPUs and a sentence in the log, never an error and never a wait
// beyond the limit.
//
// Loop thread only; asks in a thread of its own.
#pragma once

#include <future>
#include <string>
#include <vector>

#include "core/adapter/nvml/nvml_query.h"
#include "core/base/log.h"
#include "core/base/time.h"
#include "core/model/plan.h"

namespace muster {

class NvmlGpus {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";

  // `library` other than the driver's: nvml_stand_in.c. The limit counts for each call of all().
  explicit NvmlGpus(Log& log, std::string library = kLibrary, Duration limit = std::chrono::seconds(2),
                    std::string sysfs = "/sys");

  // All of them, by index. Asks anew each time; while an earlier question still hangs, none at once.
  std::vector<Gpu> all();

 private:
  Log& log_;
  const std::string library_;
  const Duration limit_;
  const std::string sysfs_;
  std::future<NvmlAnswer> asked_;  // still valid after all() returned: it hangs
};

}  // namespace muster
