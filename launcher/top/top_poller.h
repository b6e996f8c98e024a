// TopPoller: asks a controller for its jobs again and again, on a thread of its own, so that one that does not answer holds up no
// key and no signal. What it hears comes in turns of the loop. It starts no controller: one that is gone is waited for.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/port/control.h"
#include "core/port/loop.h"

namespace muster {

class TopPoller {
 public:
  using Connect = std::function<Result<std::unique_ptr<ControlClient>>()>;  // on the poller's thread
  struct Handlers {
    std::function<void(std::vector<JobView> jobs)> jobs;
    std::function<void(const Status& why)> gone;      // no controller; told every time
    std::function<void(const Status& done)> stopped;  // what came of stop()
  };
  TopPoller(Loop& loop, Connect connect, Duration interval, Handlers handlers);
  // Waits for an answer under way, at most 10 s.
  ~TopPoller();
  TopPoller(const TopPoller&) = delete;
  TopPoller& operator=(const TopPoller&) = delete;

  // SIGTERM and the job's grace; then jobs are asked for at once.
  void stop(const JobId& job);

 private:
  void work();
  void ask();
  void obey(const JobId& job);
  void tell(std::function<void(const Handlers&)> what);

  Loop& loop_;
  const Connect connect_;
  const Duration interval_;
  const std::shared_ptr<std::optional<Handlers>> handlers_;  // emptied at our end; loop thread
  std::unique_ptr<ControlClient> client_;                    // the thread's

  std::mutex mutex_;  // mutex: the loop asks for a stop or the end, the thread waits for either
  std::condition_variable woken_;
  bool ending_ = false;
  std::optional<JobId> to_stop_;
  std::thread thread_;
};

}  // namespace muster
