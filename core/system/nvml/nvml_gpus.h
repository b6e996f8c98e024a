// NvmlGpus: the GPUs of this machine, by the library that comes with NVIDIA's driver, loaded at run time. No
// library, no driver, a driver that hangs: no GPUs and a sentence in the log, never an error and never a wait
// beyond the limit.
//
// Loop thread only; asks in a thread of its own.
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

  // `library` other than the driver's: nvml_stand_in.c. The limit counts for each call of all().
  explicit NvmlGpus(Log& log, std::string library = kLibrary, Duration limit = std::chrono::seconds(2),
                    std::string sysfs = "/sys");

  // All of them, by index. Asks anew each time; while an earlier question still hangs, none at once.
  std::vector<Gpu> all();

  // Who computes on them, as of two seconds ago at the most; older: it waits, as all() does. Asked again and again it does
  // not wait: each call begins the next question.
  std::vector<GpuProcess> processes();

  ~NvmlGpus();

 private:
  bool begin();
  bool finish(Duration patience);

  Log& log_;
  const std::string library_;
  const Duration limit_;
  const std::string sysfs_;
  std::future<NvmlAnswer> asked_;  // valid while a question is under way, or hangs
  std::thread asking_;
  std::chrono::steady_clock::time_point asked_at_;
  std::chrono::steady_clock::time_point answered_for_;  // when the question of `answer_` began
  NvmlAnswer answer_;
};

}  // namespace muster
