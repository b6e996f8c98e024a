#include "core/adapter/nvml/nvml_gpus.h"

#include <signal.h>

#include <thread>

namespace muster {
namespace {

// Signals are the loop's: the new thread inherits a mask that blocks them all (pthread_sigmask(3)).
template <typename Work>
std::thread start_thread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

NvmlGpus::NvmlGpus(Log& log, std::string library, Duration limit, std::string sysfs)
    : log_(log),
      library_(std::move(library)),
      limit_(limit),
      sysfs_(std::move(sysfs)) {}

std::vector<Gpu> NvmlGpus::all() {
  const bool hangs = asked_.valid() && asked_.wait_for(Duration(0)) != std::future_status::ready;
  if (hangs) return {};
  // The promise is the thread's, which may outlive us.
  std::promise<NvmlAnswer> promise;
  asked_ = promise.get_future();
  std::thread asking = start_thread([promise = std::move(promise), library = library_, sysfs = sysfs_]() mutable {
    promise.set_value(ask_nvml(library, sysfs));
  });
  if (asked_.wait_for(limit_) != std::future_status::ready) {
    asking.detach();
    log_.warning("no GPUs: NVML did not answer within " + humane_duration(limit_) + "; does nvidia-smi hang too?");
    return {};
  }
  asking.join();  // a process that ends beside it would leave the thread's last memory behind
  const NvmlAnswer answer = asked_.get();
  for (const std::string& remark : answer.remarks) log_.info(remark);
  for (const std::string& trouble : answer.troubles) log_.warning(trouble);
  return answer.gpus;
}

}  // namespace muster
