// BusyPoll: whether a server that has served everybody looks for the next request before it sleeps. To sleep costs a client the wake-up of
// its server, tens of microseconds on many machines; to look costs a CPU, so only where one is left over, and only while looking finds
// something. Where none is, neither giving way (sched_yield) nor a policy that preempts nobody (SCHED_BATCH) is any better: beside processes
// that want a core each the server then waits for their slices, and its clients for it. Pure.
#pragma once

#include <algorithm>
#include <cstddef>

namespace muster::tcpstore {

class BusyPoll {
 public:
  explicit BusyPoll(size_t cpus) : cpus_(cpus) {}

  // Asked once after a turn that served somebody.
  bool worth(size_t clients) {
    if (clients == 0 || clients >= cpus_) return false;
    return skipped_ == 0 || --skipped_ == 0;
  }

  // How the look ended. After each in vain twice as many turns sleep at once.
  void looked(bool found) {
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
