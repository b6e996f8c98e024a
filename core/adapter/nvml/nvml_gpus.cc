#include "core/adapter/nvml/nvml_gpus.h"

#include <signal.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include "core/adapter/nvml/nvml_query.h"

namespace muster {

// Shared with the thread, which may outlive us.
struct NvmlGpus::Question {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<NvmlAnswer> answer;  // guarded by mutex

  void set(NvmlAnswer value) {
    const std::lock_guard lock(mutex);
    answer = std::move(value);
    answered.notify_all();
  }
  std::optional<NvmlAnswer> wait(Duration limit) {
    std::unique_lock lock(mutex);
    answered.wait_for(lock, limit, [this] { return answer.has_value(); });
    return answer;
  }
};

namespace {

// Signals are the loop's: the new thread inherits a mask that blocks them all (pthread_sigmask(3)).
template <typename Work>
void run_detached(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread(std::move(work)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

NvmlGpus::NvmlGpus(Log& log, std::string library, Duration limit, std::string sysfs)
    : log_(log),
      library_(std::move(library)),
      limit_(limit),
      sysfs_(std::move(sysfs)) {}

std::vector<Gpu> NvmlGpus::all() {
  if (hanging_ && !hanging_->wait(Duration(0))) return {};
  const auto question = std::make_shared<Question>();
  run_detached([question, library = library_, sysfs = sysfs_] { question->set(ask_nvml(library, sysfs)); });
  const std::optional<NvmlAnswer> answer = question->wait(limit_);
  hanging_ = answer ? nullptr : question;
  if (!answer) {
    log_.warning("no GPUs: NVML did not answer within " + humane_duration(limit_) + "; does nvidia-smi hang too?");
    return {};
  }
  for (const std::string& remark : answer->remarks) log_.info(remark);
  return answer->gpus;
}

}  // namespace muster
