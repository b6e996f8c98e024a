// SPDX-License-Identifier: Apache-2.0
// TopPoller: asks the controller for its jobs at each interval. It has its own thread, so that a slow controller does not delay keys
// and signals. Handlers run on the loop. It starts no controller; if there is none, it waits for one.
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
  using Connect = std::function<Result<std::unique_ptr<JobClient>>()>;  // on the poller's thread
  struct Handlers {
    std::function<void(std::vector<JobView> jobs)> jobs;
    std::function<void(const Status& why)> gone;      // no controller; called at each interval
    std::function<void(const Status& done)> stopped;  // result of stop()
  };
  TopPoller(Loop& loop, Connect connect, Duration interval, Handlers handlers);
  // Waits for the answer to a running call, at most 10 s.
  ~TopPoller();
  TopPoller(const TopPoller&) = delete;
  TopPoller& operator=(const TopPoller&) = delete;

  // Stops the job with SIGTERM and its grace time, then polls at once.
  void stop(const JobId& job);

 private:
  void work();
  void ask();
  void obey(const JobId& job);
  void tell(std::function<void(const Handlers&)> what);

  Loop& loop_;
  const Connect connect_;
  const Duration interval_;
  const std::shared_ptr<std::optional<Handlers>> handlers_;  // reset by the destructor; loop thread
  std::unique_ptr<JobClient> client_;                        // used by the poller's thread

  std::mutex mutex_;  // mutex: guards ending_ and to_stop_, which the loop sets and the thread waits for
  std::condition_variable woken_;
  bool ending_ = false;
  std::optional<JobId> to_stop_;
  std::thread thread_;
};

}  // namespace muster
