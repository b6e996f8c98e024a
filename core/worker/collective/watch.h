// SPDX-License-Identifier: Apache-2.0
// Watch: detects calls that cannot end. A call that ends soon costs one lock and no messages.
//
// A call that lasts longer than 200 ms is published in the store with its sizes, and the calls of the other ranks are read.
// If ranks made different calls or wait for each other, all fail with the same message (verdict.h). A rank that is only late
// is not an error. At the deadline the message names the missing ranks. The first failure is kept; afterwards the
// communicator cannot be used.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/time.h"
#include "core/worker/collective/roster.h"
#include "core/worker/collective/transport.h"
#include "core/worker/collective/verdict.h"
#include "core/worker/meeting.h"

namespace muster::worker {

class Watch {
 public:
  // `interrupt` ends the call in progress; it is called on the watch's thread, the meeting's or the caller's. Starts a thread
  // if there is more than one rank.
  Watch(Meeting& meeting, const Roster& roster, Duration timeout, std::function<void()> interrupt);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // Ends the thread.
  void stop();

  // Called before a call, on the caller's thread. `calls`: the unfinished calls, the new one last; empty: the communicator is
  // being opened. Fails if the communicator has failed before.
  Status enter(std::vector<Call> calls);
  // Called after a call. `done`: it succeeded.
  void leave(bool done);

  // Makes the communicator fail, unless it has failed before. Any thread.
  void fail(const Status& status);
  // The first failure; ok: none. Any thread.
  Status failure() const;
  // The status for the user after the transport returned `broken`: the known failure, else the failure that peers or the
  // attempt report, else the transport's own message. Makes the communicator fail and publishes the failure. Takes up to
  // 0.7 s. The caller's thread, within a call.
  Status explain(const Broken& broken);

 private:
  using Clock = std::chrono::steady_clock;

  void run();
  void check(const RankProgress& own);
  void give_up(const RankProgress& own);
  // The progress of this rank and of the ranks to check (`all`: of all ranks).
  GroupProgress collect_progress(const RankProgress& own, bool all) const;
  void publish(const std::string& value);
  std::optional<Status> published_failure() const;
  void publish_failure(const Status& status);

  Meeting& meeting_;
  const Roster& roster_;
  const Duration timeout_;
  const std::function<void()> interrupt_;

  // mutex: protects the rest; calls come from the user's threads, failures from the meeting's; the watch's own thread reads both.
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::vector<Call>> doing_;
  Clock::time_point began_;
  uint64_t generation_ = 0;
  bool armed_ = false;      // the thread waits with a timeout; otherwise a call must wake it
  bool published_ = false;  // the progress in the store must be removed after the call
  bool stopping_ = false;
  Status failure_;
  std::map<std::pair<uint32_t, uint32_t>, Call> passed_;  // the last finished message of each pair
  std::thread thread_;
};

}  // namespace muster::worker
