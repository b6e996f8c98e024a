// SPDX-License-Identifier: Apache-2.0
#include "core/system/nvml/nvml_gpus.h"

#include <thread>

#include "core/system/posix/signals_blocked.h"

namespace muster {

NvmlGpus::NvmlGpus(Log& log, std::string library, Duration limit, std::string sysfs)
    : log_(log),
      library_(std::move(library)),
      limit_(limit),
      sysfs_(std::move(sysfs)) {}

NvmlGpus::~NvmlGpus() {
  if (asked_.valid() && !finish(limit_) && asking_.joinable()) asking_.detach();
}

// Starts a query. False: one is already running.
bool NvmlGpus::begin() {
  if (asked_.valid()) return false;
  // The thread owns the promise, because it may outlive this object.
  std::promise<NvmlAnswer> promise;
  asked_ = promise.get_future();
  asked_at_ = std::chrono::steady_clock::now();
  const SignalsBlocked blocked;
  asking_ = std::thread([promise = std::move(promise), library = library_, sysfs = sysfs_]() mutable {
    promise.set_value(ask_nvml(library, sysfs));
  });
  return true;
}

// Takes the answer of the running query; waits for it up to `patience`. False: there is no answer yet.
bool NvmlGpus::finish(Duration patience) {
  if (!asked_.valid() || asked_.wait_for(patience) != std::future_status::ready) return false;
  // If the process ended while the thread still runs, the thread's memory would be reported as leaked.
  if (asking_.joinable()) asking_.join();
  answer_ = asked_.get();
  answered_for_ = asked_at_;
  return true;
}

std::vector<Gpu> NvmlGpus::all() {
  const bool hangs = asked_.valid() && !asking_.joinable() && !finish(Duration(0));
  if (hangs) return {};
  begin();
  if (!finish(limit_)) {
    asking_.detach();
    answer_ = NvmlAnswer();
    log_.warning("no GPUs: NVML did not answer within " + humane_duration(limit_) +
                 "; to check whether the driver hangs: nvidia-smi");
    return {};
  }
  for (const std::string& remark : answer_.remarks) log_.info(remark);
  for (const std::string& trouble : answer_.troubles) log_.warning(trouble);
  return answer_.gpus;
}

std::vector<GpuProcess> NvmlGpus::processes() {
  constexpr Duration kFresh = std::chrono::seconds(2);
  constexpr Duration kNext = std::chrono::milliseconds(500);
  finish(Duration(0));
  const auto age = [&] { return std::chrono::steady_clock::now() - answered_for_; };
  if (age() > kNext) begin();
  if (age() > kFresh && asking_.joinable() && !finish(limit_)) asking_.detach();
  return answer_.processes;
}

}  // namespace muster
