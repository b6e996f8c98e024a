// SPDX-License-Identifier: Apache-2.0
// NvmlGpus: the GPUs of this machine, from the library of NVIDIA's driver (NVML), which is loaded at run time. Without a
// library or driver, or if the driver hangs, there are no GPUs and a message in the log. This is never an error, and calls
// never wait longer than the limit.
//
// Loop thread only; NVML is called in a separate thread.
#pragma once

#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/base/log.h"
#include "core/base/time.h"
#include "core/job/plan/plan.h"
#include "core/system/nvml/nvml_query.h"

namespace muster {

class NvmlGpus {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";

  // Tests use another `library` (nvml_stand_in.c). `limit`: longest wait in one call of all().
  explicit NvmlGpus(Log& log, std::string library = kLibrary, Duration limit = std::chrono::seconds(2),
                    std::string sysfs = "/sys");

  // All GPUs, by index. Queries NVML in each call. If an earlier query still hangs, returns none at once.
  std::vector<Gpu> all();

  // Processes that compute on the GPUs. The answer is at most 2 s old; if it is older, waits for a new one as all() does.
  // Frequent calls do not wait, because each call starts the next query.
  std::vector<GpuProcess> processes();

  ~NvmlGpus();

 private:
  bool begin();
  bool finish(Duration patience);

  Log& log_;
  const std::string library_;
  const Duration limit_;
  const std::string sysfs_;
  std::future<NvmlAnswer> asked_;  // valid while a query runs or hangs
  std::thread asking_;
  std::chrono::steady_clock::time_point asked_at_;
  std::chrono::steady_clock::time_point answered_for_;  // when the query for `answer_` started
  NvmlAnswer answer_;
};

}  // namespace muster
