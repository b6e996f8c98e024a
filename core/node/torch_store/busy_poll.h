// SPDX-License-Identifier: Apache-2.0
// BusyPoll: decides whether the server polls for the next request before it sleeps. Waking a sleeping server costs a
// client tens of microseconds on many machines. Polling costs a CPU, so it is done only if there are fewer clients than
// CPUs and only while it finds requests. On a fully loaded machine sched_yield and SCHED_BATCH do not help: the server
// would wait for the other processes' time slices. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

namespace muster::tcpstore {

class BusyPoll {
 public:
  explicit BusyPoll(size_t cpus) : cpus_(cpus) {}

  // Whether to poll now. Called once after each turn that served a client.
  bool worth(size_t clients) {
    if (clients == 0 || clients >= cpus_) return false;
    return skipped_ == 0 || --skipped_ == 0;
  }

  // Reports the result of a poll. Each poll in vain doubles the number of turns that do not poll.
  void polled(bool found) {
    in_vain_ = found ? 0 : std::min(in_vain_ + 1, kMost);
    skipped_ = found ? 0 : size_t{1} << in_vain_;
  }

 private:
  static constexpr size_t kMost = 10;

  const size_t cpus_;
  size_t in_vain_ = 0;
  size_t skipped_ = 0;
};

}  // namespace muster::tcpstore
