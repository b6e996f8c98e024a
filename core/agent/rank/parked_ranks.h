// SPDX-License-Identifier: Apache-2.0
// ParkedRanks: processes of an ended attempt that asked to be ranks of the next one (muster_rejoin). They belong to no
// attempt until the next one takes them, and are ended if there is none. Loop thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "core/port/loop.h"
#include "core/port/process_host.h"
#include "core/port/worker_listener.h"

namespace muster {

// The receiver of a process's exit: the RankSet of its attempt, or ParkedRanks.
struct ExitRoute {
  std::function<void(const ExitStatus&)> to;
};
struct RankProcess {
  ProcessHandle handle = 0;
  int64_t pid = 0;
  std::shared_ptr<ExitRoute> route;
};

class ParkedRanks {
 public:
  // `changed` is called when a parked process has ended.
  ParkedRanks(Loop& loop, ProcessHost& host, std::function<void()> changed);
  ~ParkedRanks();

  void park(uint32_t index, RankProcess process, WorkerListener::Answer answer);
  bool has(uint32_t index) const { return parked_.count(index) > 0; }
  bool empty() const { return parked_.empty(); }

  // The process then belongs to the caller, which must answer it with its new place.
  struct Taken {
    RankProcess process;
    WorkerListener::Answer answer;
  };
  Taken take(uint32_t index);
  // There is no next attempt: tells all processes why, and kills them after `grace`. May be called repeatedly, also with a
  // shorter grace.
  void end(Duration grace, const std::string& why);

 private:
  struct Parked {
    RankProcess process;
    WorkerListener::Answer answer;  // null once answered
  };
  void kill_all();

  Loop& loop_;
  ProcessHost& host_;
  std::function<void()> changed_;
  std::map<uint32_t, Parked> parked_;
  TimerId kill_timer_ = 0;
};

}  // namespace muster
