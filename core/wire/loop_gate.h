// SPDX-License-Identifier: Apache-2.0
// LoopGate: lets gRPC's threads post to a loop that may be destroyed before they end. After close() has returned, no post is in
// progress and none will follow, so the loop may be destroyed. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "core/port/loop.h"

namespace muster {

class LoopGate {
 public:
  explicit LoopGate(Loop& loop) : loop_(loop) {}

  // After close(), `work` is dropped on the caller's thread.
  void post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (open_) loop_.post(std::move(work));
  }

  void close() {
    const std::lock_guard lock(mutex_);
    open_ = false;
  }

  // Loop thread only, and only while the loop lives.
  Loop& loop() { return loop_; }

 private:
  Loop& loop_;
  std::mutex mutex_;  // held while posting, which never blocks
  bool open_ = true;
};

}  // namespace muster
